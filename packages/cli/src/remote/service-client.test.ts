import { expect, test } from 'vitest'
import { serviceAddress } from './service-client.js'

test.each([
  ['https://mail.example', true],
  ['http://localhost:3000', true],
  ['http://127.0.0.1', true],
  ['http://[::1]:3000', true],
  ['http://mail.example', false],
  ['http://localhost.example', false],
  ['http://127.example', false],
])('a payment to %s cannot be changed on the way: %s', (url, isPrivate) => {
  expect(serviceAddress(new URL(url)).isPrivate).toBe(isPrivate)
})

test.each([
  ['ann:p%20w', 'ann:p w'],
  ['ann:50%', 'ann:50%'],
  ['%zz:', '%zz:'],
])('the login %s is sent as %s', (login, sent) => {
  const { headers, name } = serviceAddress(new URL(`https://${login}@mail.example`))
  expect(headers).toEqual({ authorization: `Basic ${Buffer.from(sent).toString('base64')}` })
  expect(name).toBe('https://mail.example')
})
