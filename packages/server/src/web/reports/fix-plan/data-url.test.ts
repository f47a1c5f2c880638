import { expect, test } from 'vitest'
import { dataUrl } from './data-url.js'

test('encodes a file in its URL', () => {
  const url = dataUrl({ type: 'text/csv', content: 'ü,"x"\r\n' })
  const [head = '', data = ''] = url.split(',')
  expect(head).toBe('data:text/csv;charset=utf-8;base64')
  expect(Buffer.from(data, 'base64').toString()).toBe('ü,"x"\r\n')
})
