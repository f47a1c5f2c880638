/** Terraform providers to which every record is a resource of its own, by the id of the DNS host. */
import { text } from './hcl.js'
import {
  asIs,
  contentOf,
  dotted,
  lineOf,
  orAt,
  type Provider,
  priorityOf,
  quoted,
  type ResourceData,
} from './provider.js'

type OneRecord = ResourceData & { readonly value: string }

/** The body of the one value that such a resource has. */
function ofOne(attributes: (record: OneRecord) => Record<string, string | null>): Provider['body'] {
  return (data) => ({ attributes: attributes({ ...data, value: data.values[0] ?? '' }) })
}

export const RECORD_PROVIDERS: Readonly<Record<string, Provider>> = {
  cloudflare: {
    source: 'cloudflare/cloudflare, version 5',
    variables: { zone_id: 'Cloudflare: the id of the zone, on its overview page' },
    resource: () => 'cloudflare_dns_record',
    body: ofOne(({ name, type, value, ttl }) => ({
      zone_id: 'var.zone_id',
      name: text(name),
      type: text(type),
      content: text(contentOf(type, value, quoted, asIs)),
      priority: priorityOf(type, value),
      ttl: `${ttl}`,
      // A proxied CNAME is answered with addresses of Cloudflare's.
      proxied: type === 'CNAME' ? 'false' : null,
    })),
  },
  digitalocean: {
    source: 'digitalocean/digitalocean',
    variables: {},
    resource: () => 'digitalocean_record',
    body: ofOne(({ zone, relative, type, value, ttl }) => ({
      domain: text(zone),
      type: text(type),
      name: text(orAt(relative)),
      value: text(contentOf(type, value, asIs, dotted)),
      priority: priorityOf(type, value),
      ttl: `${ttl}`,
    })),
  },
  ovh: {
    source: 'ovh/ovh',
    variables: {},
    resource: () => 'ovh_domain_zone_record',
    body: ofOne(({ zone, relative, type, value, ttl }) => ({
      zone: text(zone),
      subdomain: text(relative),
      fieldtype: text(type),
      ttl: `${ttl}`,
      target: text(lineOf(type, value, quoted, dotted)),
    })),
  },
  dnsimple: {
    source: 'dnsimple/dnsimple',
    variables: {},
    resource: () => 'dnsimple_zone_record',
    body: ofOne(({ zone, relative, type, value, ttl }) => ({
      zone_name: text(zone),
      name: text(relative),
      type: text(type),
      value: text(contentOf(type, value, quoted, asIs)),
      priority: priorityOf(type, value),
      ttl: `${ttl}`,
    })),
  },
  linode: {
    source: 'linode/linode',
    variables: { domain_id: 'Linode: the id of the domain' },
    resource: () => 'linode_domain_record',
    body: ofOne(({ relative, type, value, ttl }) => ({
      domain_id: 'var.domain_id',
      name: text(relative),
      record_type: text(type),
      target: text(contentOf(type, value, asIs, asIs)),
      priority: priorityOf(type, value),
      ttl_sec: `${ttl}`,
    })),
  },
  vultr: {
    source: 'vultr/vultr',
    variables: {},
    resource: () => 'vultr_dns_record',
    body: ofOne(({ zone, relative, type, value, ttl }) => ({
      domain: text(zone),
      name: text(relative),
      type: text(type),
      data: text(contentOf(type, value, quoted, asIs)),
      priority: priorityOf(type, value),
      ttl: `${ttl}`,
    })),
  },
}
