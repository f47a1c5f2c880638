/** Terraform providers to which all records of a name and type are one resource, by the id of the DNS host. */
import { characterStrings } from '../../character-strings.js'
import { mxValue } from '../mx-value.js'
import { escapedText } from '../presentation.js'
import { type Attributes, type Body, text, texts } from './hcl.js'
import { asIs, dotted, lineOf, orAt, type Provider, quoted, type ResourceData } from './provider.js'

/** The provider adds the outer quotes itself; octets are in base 8 there. */
const forRoute53 = (value: string) =>
  characterStrings(value)
    .map((string) => escapedText(string, 8))
    .join('""')

const AZURE_RESOURCES = {
  TXT: 'azurerm_dns_txt_record',
  MX: 'azurerm_dns_mx_record',
  CNAME: 'azurerm_dns_cname_record',
}

function azureBody({ zone, relative, type, values, ttl }: ResourceData): Body {
  const head = {
    zone_name: text(zone),
    resource_group_name: 'var.resource_group_name',
    name: text(orAt(relative)),
    ttl: `${ttl}`,
  }
  if (type === 'CNAME') return { attributes: { ...head, record: text(values[0] ?? '') } }
  const record = (value: string): Attributes => {
    if (type === 'TXT') return { value: text(value) }
    const { preference, exchange } = mxValue(value)
    return { preference: `${preference}`, exchange: text(exchange) }
  }
  return { attributes: head, blocks: { name: 'record', each: values.map(record) } }
}

export const SET_PROVIDERS: Readonly<Record<string, Provider>> = {
  route53: {
    source: 'hashicorp/aws',
    variables: { zone_id: 'Route 53: the id of the hosted zone' },
    resource: () => 'aws_route53_record',
    body: ({ name, type, values, ttl }) => ({
      attributes: {
        zone_id: 'var.zone_id',
        name: text(name),
        type: text(type),
        ttl: `${ttl}`,
        records: texts(values.map((value) => lineOf(type, value, forRoute53, asIs))),
      },
    }),
  },
  gcloud: {
    source: 'hashicorp/google',
    variables: { managed_zone: 'Google Cloud DNS: the name of the managed zone' },
    resource: () => 'google_dns_record_set',
    body: ({ name, type, values, ttl }) => ({
      attributes: {
        managed_zone: 'var.managed_zone',
        name: text(dotted(name)),
        type: text(type),
        ttl: `${ttl}`,
        rrdatas: texts(values.map((value) => lineOf(type, value, quoted, dotted))),
      },
    }),
  },
  azure: {
    source: 'hashicorp/azurerm',
    variables: { resource_group_name: 'Azure: the resource group of the zone' },
    resource: (type) => AZURE_RESOURCES[type],
    body: azureBody,
  },
  gandi: {
    source: 'go-gandi/gandi',
    variables: {},
    resource: () => 'gandi_livedns_record',
    body: ({ zone, relative, type, values, ttl }) => ({
      attributes: {
        zone: text(zone),
        name: text(orAt(relative)),
        type: text(type),
        ttl: `${ttl}`,
        values: texts(values.map((value) => lineOf(type, value, quoted, dotted))),
      },
    }),
  },
  hetzner: {
    source: 'hetznercloud/hcloud',
    variables: {},
    resource: () => 'hcloud_zone_rrset',
    body: ({ zone, relative, type, values, ttl }) => {
      const lines = values.map((value) => lineOf(type, value, quoted, dotted))
      return {
        attributes: {
          zone: text(zone),
          name: text(orAt(relative)),
          type: text(type),
          ttl: `${ttl}`,
          records: `[${lines.map((line) => `{ value = ${text(line)} }`).join(', ')}]`,
        },
      }
    },
  },
  ns1: {
    source: 'ns1-terraform/ns1',
    variables: {},
    resource: () => 'ns1_record',
    body: ({ zone, name, type, values, ttl }) => ({
      attributes: {
        zone: text(zone),
        domain: text(name),
        type: text(type),
        ttl: `${ttl}`,
      },
      blocks: {
        name: 'answers',
        each: values.map((value) => ({ answer: text(lineOf(type, value, asIs, asIs)) })),
      },
    }),
  },
}
