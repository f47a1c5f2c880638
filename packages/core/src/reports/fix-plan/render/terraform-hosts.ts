/** The supported Terraform providers by DNS host id. */

import {
  escapeCharacterString,
  parseMxValue,
  quoteStrings,
  splitCharacterStrings,
} from '../../record-data.js'
import {
  asIs,
  atSignForApex,
  formatContent,
  formatContentWithPriority,
  type HclAttributes,
  type HclBody,
  hclString,
  hclStringList,
  mxPriority,
  quoteTxtValue,
  type TerraformProvider,
  type TerraformResourceData,
  withFinalDot,
} from './terraform-provider.js'

type SingleRecord = TerraformResourceData & { readonly value: string }

/** The body of a resource with one value. */
function singleValueBody(
  attributes: (record: SingleRecord) => Record<string, string | null>,
): TerraformProvider['body'] {
  return (data) => ({ attributes: attributes({ ...data, value: data.values[0] ?? '' }) })
}

/** A null MX has an empty target here. */
const emptyForNullMx = (target: string) => (target === '.' ? '' : target)

/** The API takes one string of any length and splits it. */
const quoteWhole = (value: string) => quoteStrings([value])

/** Providers with one resource per record. */
export const RECORD_PROVIDERS: Readonly<Record<string, TerraformProvider>> = {
  cloudflare: {
    source: 'cloudflare/cloudflare, version 5',
    variables: { zone_id: 'Cloudflare: the zone ID, shown on its overview page' },
    resourceType: () => 'cloudflare_dns_record',
    body: singleValueBody(({ name, type, value, ttl }) => ({
      zone_id: 'var.zone_id',
      name: hclString(name),
      type: hclString(type),
      content: hclString(formatContent(type, value, quoteTxtValue, asIs)),
      priority: mxPriority(type, value),
      ttl: `${ttl}`,
      // Cloudflare answers a proxied CNAME with its own addresses.
      proxied: type === 'CNAME' ? 'false' : null,
    })),
  },
  digitalocean: {
    source: 'digitalocean/digitalocean',
    takesPlainText: true,
    variables: {},
    resourceType: () => 'digitalocean_record',
    body: singleValueBody(({ zone, relativeName, type, value, ttl }) => ({
      domain: hclString(zone),
      type: hclString(type),
      name: hclString(atSignForApex(relativeName)),
      value: hclString(formatContent(type, value, asIs, withFinalDot)),
      priority: mxPriority(type, value),
      ttl: `${ttl}`,
    })),
  },
  ovh: {
    source: 'ovh/ovh',
    variables: {},
    resourceType: () => 'ovh_domain_zone_record',
    body: singleValueBody(({ zone, relativeName, type, value, ttl }) => ({
      zone: hclString(zone),
      subdomain: hclString(relativeName),
      fieldtype: hclString(type),
      ttl: `${ttl}`,
      target: hclString(formatContentWithPriority(type, value, quoteTxtValue, withFinalDot)),
    })),
  },
  dnsimple: {
    source: 'dnsimple/dnsimple',
    variables: {},
    resourceType: () => 'dnsimple_zone_record',
    body: singleValueBody(({ zone, relativeName, type, value, ttl }) => ({
      zone_name: hclString(zone),
      name: hclString(relativeName),
      type: hclString(type),
      value: hclString(formatContent(type, value, quoteTxtValue, asIs)),
      priority: mxPriority(type, value),
      ttl: `${ttl}`,
    })),
  },
  linode: {
    source: 'linode/linode',
    takesPlainText: true,
    variables: { domain_id: 'Linode: the domain ID' },
    resourceType: () => 'linode_domain_record',
    body: singleValueBody(({ relativeName, type, value, ttl }) => ({
      domain_id: 'var.domain_id',
      name: hclString(relativeName),
      record_type: hclString(type),
      target: hclString(formatContent(type, value, asIs, emptyForNullMx)),
      priority: mxPriority(type, value),
      ttl_sec: `${ttl}`,
    })),
  },
  vultr: {
    source: 'vultr/vultr',
    variables: {},
    resourceType: () => 'vultr_dns_record',
    body: singleValueBody(({ zone, relativeName, type, value, ttl }) => ({
      domain: hclString(zone),
      name: hclString(relativeName),
      type: hclString(type),
      data: hclString(formatContent(type, value, quoteWhole, asIs)),
      priority: mxPriority(type, value),
      ttl: `${ttl}`,
    })),
  },
}

/** The provider adds the outer quotes; octets are octal. */
const formatRoute53Txt = (value: string) =>
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

/** Providers with one resource per name and type. */
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
          values.map((value) => formatContentWithPriority(type, value, formatRoute53Txt, asIs)),
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
    takesPlainText: true,
    variables: { resource_group_name: 'Azure: the resource group that contains the zone' },
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
    takesPlainText: true,
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
