/** Terraform providers to which every record is a resource of its own, by the id of the DNS host. */
import { hclString } from './hcl.js'
import {
  asIs,
  atSignForApex,
  formatContent,
  formatContentWithPriority,
  mxPriority,
  quoteTxtValue,
  type TerraformProvider,
  type TerraformResourceData,
  withFinalDot,
} from './terraform-provider.js'

type OneRecord = TerraformResourceData & { readonly value: string }

/** The body of the one value that such a resource has. */
function ofOne(
  attributes: (record: OneRecord) => Record<string, string | null>,
): TerraformProvider['body'] {
  return (data) => ({ attributes: attributes({ ...data, value: data.values[0] ?? '' }) })
}

export const RECORD_PROVIDERS: Readonly<Record<string, TerraformProvider>> = {
  cloudflare: {
    source: 'cloudflare/cloudflare, version 5',
    variables: { zone_id: 'Cloudflare: the id of the zone, on its overview page' },
    resourceType: () => 'cloudflare_dns_record',
    body: ofOne(({ name, type, value, ttl }) => ({
      zone_id: 'var.zone_id',
      name: hclString(name),
      type: hclString(type),
      content: hclString(formatContent(type, value, quoteTxtValue, asIs)),
      priority: mxPriority(type, value),
      ttl: `${ttl}`,
      // A proxied CNAME is answered with addresses of Cloudflare's.
      proxied: type === 'CNAME' ? 'false' : null,
    })),
  },
  digitalocean: {
    source: 'digitalocean/digitalocean',
    variables: {},
    resourceType: () => 'digitalocean_record',
    body: ofOne(({ zone, relativeName, type, value, ttl }) => ({
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
    body: ofOne(({ zone, relativeName, type, value, ttl }) => ({
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
    body: ofOne(({ zone, relativeName, type, value, ttl }) => ({
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
    variables: { domain_id: 'Linode: the id of the domain' },
    resourceType: () => 'linode_domain_record',
    body: ofOne(({ relativeName, type, value, ttl }) => ({
      domain_id: 'var.domain_id',
      name: hclString(relativeName),
      record_type: hclString(type),
      target: hclString(formatContent(type, value, asIs, asIs)),
      priority: mxPriority(type, value),
      ttl_sec: `${ttl}`,
    })),
  },
  vultr: {
    source: 'vultr/vultr',
    variables: {},
    resourceType: () => 'vultr_dns_record',
    body: ofOne(({ zone, relativeName, type, value, ttl }) => ({
      domain: hclString(zone),
      name: hclString(relativeName),
      type: hclString(type),
      data: hclString(formatContent(type, value, quoteTxtValue, asIs)),
      priority: mxPriority(type, value),
      ttl: `${ttl}`,
    })),
  },
}
