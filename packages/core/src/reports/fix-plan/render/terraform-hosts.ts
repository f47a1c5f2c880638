/** The supported Terraform providers by DNS host id. */
import { escapeCharacterString, quoteStrings, splitCharacterStrings } from '../../record-data.js'
import { type TerraformProvider, withFinalDot } from './terraform-provider.js'

/** For providers that expect zone file syntax. */
const quoteSplit = (value: string) => quoteStrings(splitCharacterStrings(value))

/** The API takes one string of any length and splits it. */
const quoteWhole = (value: string) => quoteStrings([value])

/** The provider adds the outer quotes; octets are octal. */
const formatRoute53Txt = (value: string) =>
  splitCharacterStrings(value)
    .map((string) => escapeCharacterString(string, 8))
    .join('""')

/** A null MX has an empty target here. */
const emptyForNullMx = (target: string) => (target === '.' ? '' : target)

/** Providers with one resource per record. */
export const RECORD_PROVIDERS: Readonly<Record<string, TerraformProvider>> = {
  cloudflare: {
    source: 'cloudflare/cloudflare, version 5',
    variables: { zone_id: 'Cloudflare: the zone ID, shown on its overview page' },
    resource: 'cloudflare_dns_record',
    txt: quoteSplit,
    attributes: {
      zone_id: 'variable',
      name: 'name',
      type: 'type',
      content: 'value',
      priority: 'priority',
      ttl: 'ttl',
      proxied: 'unproxied',
    },
  },
  digitalocean: {
    source: 'digitalocean/digitalocean',
    resource: 'digitalocean_record',
    target: withFinalDot,
    attributes: {
      domain: 'zone',
      type: 'type',
      name: 'relativeOrAt',
      value: 'value',
      priority: 'priority',
      ttl: 'ttl',
    },
  },
  ovh: {
    source: 'ovh/ovh',
    resource: 'ovh_domain_zone_record',
    txt: quoteSplit,
    target: withFinalDot,
    attributes: {
      zone: 'zone',
      subdomain: 'relative',
      fieldtype: 'type',
      ttl: 'ttl',
      target: 'line',
    },
  },
  dnsimple: {
    source: 'dnsimple/dnsimple',
    resource: 'dnsimple_zone_record',
    txt: quoteSplit,
    attributes: {
      zone_name: 'zone',
      name: 'relative',
      type: 'type',
      value: 'value',
      priority: 'priority',
      ttl: 'ttl',
    },
  },
  linode: {
    source: 'linode/linode',
    variables: { domain_id: 'Linode: the domain ID' },
    resource: 'linode_domain_record',
    target: emptyForNullMx,
    attributes: {
      domain_id: 'variable',
      name: 'relative',
      record_type: 'type',
      target: 'value',
      priority: 'priority',
      ttl_sec: 'ttl',
    },
  },
  vultr: {
    source: 'vultr/vultr',
    resource: 'vultr_dns_record',
    txt: quoteWhole,
    attributes: {
      domain: 'zone',
      name: 'relative',
      type: 'type',
      data: 'value',
      priority: 'priority',
      ttl: 'ttl',
    },
  },
}

/** Providers with one resource per name and type. */
export const RECORD_SET_PROVIDERS: Readonly<Record<string, TerraformProvider>> = {
  route53: {
    source: 'hashicorp/aws',
    variables: { zone_id: 'Route 53: the id of the hosted zone' },
    resource: 'aws_route53_record',
    txt: formatRoute53Txt,
    attributes: { zone_id: 'variable', name: 'name', type: 'type', ttl: 'ttl', records: 'lines' },
  },
  gcloud: {
    source: 'hashicorp/google',
    variables: { managed_zone: 'Google Cloud DNS: the name of the managed zone' },
    resource: 'google_dns_record_set',
    txt: quoteSplit,
    target: withFinalDot,
    attributes: {
      managed_zone: 'variable',
      name: 'absolute',
      type: 'type',
      ttl: 'ttl',
      rrdatas: 'lines',
    },
  },
  azure: {
    source: 'hashicorp/azurerm',
    variables: { resource_group_name: 'Azure: the resource group that contains the zone' },
    resource: {
      TXT: 'azurerm_dns_txt_record',
      MX: 'azurerm_dns_mx_record',
      CNAME: 'azurerm_dns_cname_record',
    },
    attributes: {
      zone_name: 'zone',
      resource_group_name: 'variable',
      name: 'relativeOrAt',
      ttl: 'ttl',
      record: 'alias',
    },
    block: {
      name: 'record',
      attributes: { value: 'text', preference: 'priority', exchange: 'exchange' },
    },
  },
  gandi: {
    source: 'go-gandi/gandi',
    resource: 'gandi_livedns_record',
    txt: quoteSplit,
    target: withFinalDot,
    attributes: { zone: 'zone', name: 'relativeOrAt', type: 'type', ttl: 'ttl', values: 'lines' },
  },
  hetzner: {
    source: 'hetznercloud/hcloud',
    resource: 'hcloud_zone_rrset',
    txt: quoteSplit,
    target: withFinalDot,
    attributes: {
      zone: 'zone',
      name: 'relativeOrAt',
      type: 'type',
      ttl: 'ttl',
      records: 'objects',
    },
  },
  ns1: {
    source: 'ns1-terraform/ns1',
    resource: 'ns1_record',
    attributes: { zone: 'zone', domain: 'name', type: 'type', ttl: 'ttl' },
    block: { name: 'answers', attributes: { answer: 'line' } },
  },
}
