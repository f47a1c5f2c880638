/** Terraform providers to which all records of a name and type are one resource, by the id of the DNS host. */
import { splitCharacterStrings } from '../../character-strings.js'
import { parseMxValue } from '../mx-value.js'
import { escapeCharacterString } from '../presentation-format.js'
import { type HclAttributes, type HclBody, hclString, hclStringList } from './hcl.js'
import {
  asIs,
  atSignForApex,
  formatContentWithPriority,
  quoteTxtValue,
  type TerraformProvider,
  type TerraformResourceData,
  withFinalDot,
} from './terraform-provider.js'

/** The provider adds the outer quotes itself; octets are in base 8 there. */
const forRoute53 = (value: string) =>
  splitCharacterStrings(value)
    .map((string) => escapeCharacterString(string, 8))
    .join('""')

const AZURE_RESOURCES = {
  TXT: 'azurerm_dns_txt_record',
  MX: 'azurerm_dns_mx_record',
  CNAME: 'azurerm_dns_cname_record',
}

function azureBody({ zone, relativeName, type, values, ttl }: TerraformResourceData): HclBody {
  const head = {
    zone_name: hclString(zone),
    resource_group_name: 'var.resource_group_name',
    name: hclString(atSignForApex(relativeName)),
    ttl: `${ttl}`,
  }
  if (type === 'CNAME') return { attributes: { ...head, record: hclString(values[0] ?? '') } }
  const record = (value: string): HclAttributes => {
    if (type === 'TXT') return { value: hclString(value) }
    const { preference, exchange } = parseMxValue(value)
    return { preference: `${preference}`, exchange: hclString(exchange) }
  }
  return { attributes: head, blocks: { name: 'record', each: values.map(record) } }
}

export const RECORD_SET_PROVIDERS: Readonly<Record<string, TerraformProvider>> = {
  route53: {
    source: 'hashicorp/aws',
    variables: { zone_id: 'Route 53: the id of the hosted zone' },
    resourceType: () => 'aws_route53_record',
    body: ({ name, type, values, ttl }) => ({
      attributes: {
        zone_id: 'var.zone_id',
        name: hclString(name),
        type: hclString(type),
        ttl: `${ttl}`,
        records: hclStringList(
          values.map((value) => formatContentWithPriority(type, value, forRoute53, asIs)),
        ),
      },
    }),
  },
  gcloud: {
    source: 'hashicorp/google',
    variables: { managed_zone: 'Google Cloud DNS: the name of the managed zone' },
    resourceType: () => 'google_dns_record_set',
    body: ({ name, type, values, ttl }) => ({
      attributes: {
        managed_zone: 'var.managed_zone',
        name: hclString(withFinalDot(name)),
        type: hclString(type),
        ttl: `${ttl}`,
        rrdatas: hclStringList(
          values.map((value) =>
            formatContentWithPriority(type, value, quoteTxtValue, withFinalDot),
          ),
        ),
      },
    }),
  },
  azure: {
    source: 'hashicorp/azurerm',
    variables: { resource_group_name: 'Azure: the resource group of the zone' },
    resourceType: (type) => AZURE_RESOURCES[type],
    body: azureBody,
  },
  gandi: {
    source: 'go-gandi/gandi',
    variables: {},
    resourceType: () => 'gandi_livedns_record',
    body: ({ zone, relativeName, type, values, ttl }) => ({
      attributes: {
        zone: hclString(zone),
        name: hclString(atSignForApex(relativeName)),
        type: hclString(type),
        ttl: `${ttl}`,
        values: hclStringList(
          values.map((value) =>
            formatContentWithPriority(type, value, quoteTxtValue, withFinalDot),
          ),
        ),
      },
    }),
  },
  hetzner: {
    source: 'hetznercloud/hcloud',
    variables: {},
    resourceType: () => 'hcloud_zone_rrset',
    body: ({ zone, relativeName, type, values, ttl }) => {
      const lines = values.map((value) =>
        formatContentWithPriority(type, value, quoteTxtValue, withFinalDot),
      )
      return {
        attributes: {
          zone: hclString(zone),
          name: hclString(atSignForApex(relativeName)),
          type: hclString(type),
          ttl: `${ttl}`,
          records: `[${lines.map((line) => `{ value = ${hclString(line)} }`).join(', ')}]`,
        },
      }
    },
  },
  ns1: {
    source: 'ns1-terraform/ns1',
    variables: {},
    resourceType: () => 'ns1_record',
    body: ({ zone, name, type, values, ttl }) => ({
      attributes: {
        zone: hclString(zone),
        domain: hclString(name),
        type: hclString(type),
        ttl: `${ttl}`,
      },
      blocks: {
        name: 'answers',
        each: values.map((value) => ({
          answer: hclString(formatContentWithPriority(type, value, asIs, asIs)),
        })),
      },
    }),
  },
}
