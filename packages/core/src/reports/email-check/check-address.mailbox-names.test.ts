/** Names before the @ that a provider does not allow, or that fill a form field. */
import { describe, expect, test } from 'vitest'
import { addressReportFromZone } from '../../../test/support/address-fixture.js'

async function verdictAt(email: string) {
  const domain = email.slice(email.lastIndexOf('@') + 1)
  const zone = `${domain}. MX 1 mx.acme.test.\nmx.acme.test. A 192.0.2.1`
  const { verdict, reasons, checks } = await addressReportFromZone(email, zone)
  return { verdict, reasons, placeholder: checks.placeholder, role: checks.role }
}

describe('a name that the provider does not allow is risky', () => {
  test.each([
    ['j@gmail.com', 'one character'],
    ['jane_doe@gmail.com', 'an underscore'],
    ['jane-doe@gmail.com', 'a hyphen'],
    ['jane!@gmail.com', 'another character'],
    ['Jane.!Doe+news@googlemail.com', 'another character before a tag'],
    ['a.b.c.d.e@gmail.com', 'five characters, not counting dots'],
    ['jane+somewhere@gmail.com', 'four characters, not counting the tag'],
    [`${'a1'.repeat(15)}b@gmail.com`, '31 characters'],
    ['ab@mail.ru', 'two characters'],
    ['ann@inbox.ru', 'three characters'],
    [`${'a1'.repeat(16)}@bk.ru`, '32 characters'],
    ['_jane@mail.ru', 'a separator first'],
    ['jane-@list.ru', 'a separator last'],
    ['jane._doe@mail.ru', 'two separators in a row'],
    ["o'neil@outlook.com", 'an apostrophe'],
    ['jane&joe@hotmail.co.uk', 'an ampersand'],
    ['jane!@yahoo.com', 'an exclamation mark'],
    ['jane#1@aol.com', 'a number sign'],
    ['jane*@icloud.com', 'an asterisk'],
    ['jane=doe@proton.me', 'an equals sign'],
  ])('%s: %s', async (email) => {
    expect(await verdictAt(email)).toMatchObject({
      verdict: 'risky',
      reasons: ['name_not_allowed'],
    })
  })

  test('beside what else is wrong', async () => {
    const reasonsOf = async (email: string) => (await verdictAt(email)).reasons
    expect(await reasonsOf('info@gmail.com')).toEqual(['name_not_allowed', 'role_account'])
    expect(await reasonsOf('asdf@gmail.com')).toEqual(['name_not_allowed', 'placeholder_name'])
    expect(await reasonsOf('"jane doe"@gmail.com')).toEqual([
      'name_not_allowed',
      'quoted_local_part',
    ])
    expect(await reasonsOf('björn.lee@gmail.com')).toEqual(['name_not_allowed', 'smtp_utf8'])
  })

  test('and never more than risky', async () => {
    const report = await addressReportFromZone('j@gmail.com', 'gmail.com. MX 0 .')
    expect([report.verdict, report.reasons]).toEqual([
      'undeliverable',
      ['null_mx', 'name_not_allowed'],
    ])
  })
})

describe('an ordinary name is ok', () => {
  test.each([
    'jane.doe@gmail.com',
    'Jane.Doe+a_b-c!@gmail.com',
    'j.a.n.e.d.o@gmail.com',
    '471147114@gmail.com',
    `${'a1'.repeat(15)}@googlemail.com`,
    'jane@mail.ru',
    'j-a_n.e@mail.ru',
    'jane+news@inbox.ru',
    `${'a1'.repeat(15)}b@list.ru`,
    'j@outlook.com',
    '1-jane_doe.lee@hotmail.com',
    'a-b@yahoo.com',
    'jane_doe@ymail.com',
    '1ab@aol.com',
    'carver-relics-0t.long.hidden.name@icloud.com',
    'j@proton.me',
    'x!@yahoo.co.jp',
    'j!@gmx.de',
    'j!@web.de',
    'j!@zoho.com',
    'j!@yandex.ru',
    'j!@fastmail.com',
    'j!@qq.com',
    'j@163.com',
    'j_d!@acme.test',
    'j@x.gmail.com',
  ])('%s', async (email) => {
    expect(await verdictAt(email)).toMatchObject({ verdict: 'ok', reasons: [] })
  })

  test.each(['abuse@gmail.com', 'postmaster@mail.ru'])('%s exists everywhere', async (email) => {
    expect((await verdictAt(email)).reasons).toEqual(['role_account'])
  })
})

describe('a placeholder name is risky, and no role', () => {
  test.each([
    ['test@acme.test', 'test'],
    ['Testing+1@acme.test', 'testing'],
    ['"demo"@acme.test', 'demo'],
    ['foo@acme.test', 'foo'],
    ['example@acme.test', 'example'],
    ['user@acme.test', 'user'],
    ['nobody@acme.test', 'nobody'],
    ['null@acme.test', 'null'],
    ['noemail@acme.test', 'noemail'],
    ['asd@acme.test', 'asd'],
    ['asdf@acme.test', 'asdf'],
    ['asdasd@acme.test', 'asdasd'],
    ['fghj@acme.test', 'fghj'],
    ['asdf1@acme.test', 'asdf1'],
    ['qwerty123@yahoo.com', 'qwerty123'],
    ['1q2w3e4r5@acme.test', '1q2w3e4r5'],
    ['abc@acme.test', 'abc'],
    ['xxx@acme.test', 'xxx'],
    ['AAAAAA@acme.test', 'aaaaaa'],
    ['123@acme.test', '123'],
    ['1234567890@acme.test', '1234567890'],
  ])('%s', async (email, name) => {
    expect(await verdictAt(email)).toEqual({
      verdict: 'risky',
      reasons: ['placeholder_name'],
      placeholder: { placeholder: true, name, domain: null },
      role: { role: false, name: null },
    })
  })
})

describe('a name that only contains such a word is ok', () => {
  test.each([
    'testa@acme.test',
    'foote@acme.test',
    'ann.test@acme.test',
    'test.user@acme.test',
    'contest@acme.test',
    'ann+test@acme.test',
    'bar@acme.test',
    'azer@acme.test',
    'asdfjane@acme.test',
    'ann123@acme.test',
    '100001@qq.com',
    '123456@qq.com',
    '12345@foxmail.com',
    '123@163.com',
    '4711@acme.test',
  ])('%s', async (email) => {
    expect(await verdictAt(email)).toEqual({
      verdict: 'ok',
      reasons: [],
      placeholder: { placeholder: false, name: null, domain: null },
      role: { role: false, name: null },
    })
  })

  test.each(['www', 'ooo', 'users', 'email', 'nospam-team'])(
    '%s is no placeholder',
    async (name) => {
      expect((await verdictAt(`${name}@acme.test`)).placeholder.placeholder).toBe(false)
    },
  )
})

describe('a placeholder domain is risky', () => {
  test.each(['test.com', 'domain.com', 'mydomain.com', 'exemplo.com'])('%s', async (domain) => {
    expect(await verdictAt(`jane.doe@${domain}`)).toMatchObject({
      verdict: 'risky',
      reasons: ['placeholder_domain'],
      placeholder: { placeholder: true, name: null, domain },
    })
  })

  test('and has both reasons with a placeholder name', async () => {
    expect(await verdictAt('test@test.com')).toMatchObject({
      verdict: 'risky',
      reasons: ['placeholder_name', 'placeholder_domain'],
      placeholder: { placeholder: true, name: 'test', domain: 'test.com' },
    })
  })

  test.each(['email.com', 'example.com', 'mail.test.com', 'mytest.com'])(
    '%s is looked up like any other',
    async (domain) => {
      expect(await verdictAt(`jane.doe@${domain}`)).toMatchObject({ verdict: 'ok', reasons: [] })
    },
  )
})
