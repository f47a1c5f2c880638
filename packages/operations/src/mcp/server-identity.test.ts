import { describe, expect, test } from 'vitest'
import { RELEASE_VERSION } from '../release-version.js'
import { ICON_SVG, mcpIcons, serverIdentity } from './server-identity.js'

describe('a local server', () => {
  test('has the name of the program and no website', () => {
    expect(serverIdentity(null)).toEqual({
      name: 'mailgrade',
      title: 'Mailgrade',
      description: expect.any(String),
      version: RELEASE_VERSION,
      icons: mcpIcons(null),
    })
  })

  test('carries its icon with it', () => {
    const [{ src = '', ...icon } = {}] = mcpIcons(null)
    expect(icon).toEqual({ mimeType: 'image/svg+xml' })
    const [, base64 = ''] = src.split('data:image/svg+xml;base64,')
    expect(Buffer.from(base64, 'base64').toString()).toBe(ICON_SVG)
    expect(src.length).toBeLessThan(512)
  })
})

test('a service refers to the icon on its website', () => {
  const service = { baseUrl: 'https://example.com/mail', name: 'Mail', siteUrl: null }
  expect(serverIdentity(service).icons).toEqual([
    { src: 'https://example.com/mail/favicon.svg', mimeType: 'image/svg+xml' },
  ])
})
