import { expect, test } from 'vitest'
import { findServiceById } from '../../../catalog/mail-services.js'
import { describeScreen } from './service-screen.js'

test.each([
  ['mailchimp', 'Mailchimp: Account & billing > Domains > Start Authentication (as of 2026-11)'],
  ['mandrill', 'Mailchimp Transactional > Settings > Domains > View details (as of 2026-11)'],
])('names %s once before its menu path', (id, expected) => {
  const service = findServiceById(id)
  expect(service && describeScreen(service)).toBe(expected)
})
