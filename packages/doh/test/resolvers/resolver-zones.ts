/**
 * The zones of the resolver tests. `MAIN_ZONE` is a real zone file: BIND loads it, Unbound and
 * dnsdist forward to BIND, and our own zone-backed `Dns` reads the same text.
 */

/** A 2048-bit key needs two character-strings (RFC 6376 §3.6.2.2). */
export const DKIM_STRINGS = [
  'v=DKIM1; k=rsa; p=MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAqE2Qpt5t+AcFT5MCJk+OtpXYOlk+LM/4fCBscmGb4tfISckghyV4kS4UAH/dVg2V1723qzFeSntTllW/ep0vKkOodTzW7+AIcDKzqCx2mXrkvdF4ksLxLmUKYqOd4PRq7tvDT+HTt0qNv/cidG2UIGOQToIkKdmgsQ/rd7KctgzHbvIOVJmvtIRTTY8n2R04n',
  '3sKiN9VFwh7bZp1DSjqyXzEVFQF7Vdwt7HLVb63fS02kemQC9Ed/I8FEk8dIpseVQ+tsLNqIWpEq5Cyp2k/pwowiB9ciFIsLtfD0jWwYXQA2Bei42EwEFKR/WXvHCy1xzfuOMADKFymcKbUUz3EzwIDAQAB',
]

/** Together 59 KB, close to the limit of 64 KB for a DNS message. */
export const MANY_TXT_STRINGS = Array.from({ length: 300 }, (_, index) =>
  `site-verification=${String(index).padStart(3, '0')}-`.padEnd(184, 'x'),
)

/** 253 characters, the maximum. */
export const LONGEST_NAME = `${'a'.repeat(63)}.${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(50)}.world.test`

export const MAIN_ZONE = String.raw`
$ORIGIN world.test.
$TTL 300
@            IN SOA  ns1 first\.last ( 2026010101 ; serial
                                       1h 15m 2w  ; refresh, retry, expire
                                       120 )      ; negative TTL
             IN NS   ns1
             IN NS   ns2.world.test.
             IN MX   10 MX1.World.Test.
             IN MX   20 mx2
             IN TXT  "v=spf1 mx include:_spf.world.test -all"
             IN TXT  "second record"
             IN SPF  "v=spf1 mx -all"
ns1          IN A    192.0.2.1
ns2             A    192.0.2.2
mx1       60 IN A    192.0.2.10
             IN AAAA 2001:DB8:0:0:1::10
mx2    IN 1m30s A    192.0.2.20
       IN 1m30s A    192.0.2.21
_spf         IN TXT  "v=spf1 ip4:192.0.2.0/24 -all"
parked       IN MX   0 .
_25._tcp.mx1 IN TLSA 3 1 1 ( 0123456789ABCDEF0123456789ABCDEF
                             0123456789abcdef0123456789abcdef )
             IN TLSA 2 0 0 308201

; Two strings in one record, and strings that need careful parsing.
2048._domainkey IN TXT ( "${DKIM_STRINGS[0]}"
                         "${DKIM_STRINGS[1]}" )
odd          IN TXT  "quote \" semicolon ; backslash \\ umlaut \195\164 nul \000" "" unquoted
many         IN TXT  "${MANY_TXT_STRINGS.join('"\n             IN TXT  "')}"

; Makes "region" an empty non-terminal (RFC 4592 §2.2.2).
office.region IN A   192.0.2.30

*.wild       IN TXT  "from the wildcard"
             IN A    192.0.2.40
own.wild     IN TXT  "from its own record"
*.hosted     IN CNAME www

www          IN CNAME web
web       30 IN CNAME edge
edge         IN A    192.0.2.50
to-wild      IN CNAME any.name.wild
dangling     IN CNAME via
via          IN CNAME gone
loop         IN CNAME loop-b
loop-b       IN CNAME loop-c
loop-c       IN CNAME loop
itself       IN CNAME itself

; Names with several spellings, and a dot inside a label.
one\.label   IN TXT  "one label"
label        IN TXT  "another name"
by\046number IN TXT  "a dot by its number"
MixedCase    IN TXT  "Case Kept"
at@sign      IN TXT  "no escape needed"
semi\;colon  IN CNAME \(odd\)\ \"target\"
${LONGEST_NAME}. IN A 192.0.2.60

$ORIGIN branch.world.test.
$TTL 1h30m
@            IN TXT  "a branch of the same zone"
deep         IN MX   10 @
`

/** Signed when BIND starts, so a resolver can validate it. */
export const SIGNED_ZONE = `
$ORIGIN signed.test.
$TTL 300
@     IN SOA  ns1 hostmaster 1 1h 15m 2w 120
      IN NS   ns1
      IN TXT  "v=spf1 -all"
ns1   IN A    192.0.2.1
`

/** Unsigned; the server's configuration sets the zone's name. */
export const UNSIGNED_ZONE = `
$TTL 300
@     IN SOA  ns1 hostmaster 1 1h 15m 2w 120
      IN NS   ns1
ns1   IN A    192.0.2.1
`

/** Names that BIND does not answer: a delegation, and a CNAME chain longer than it follows. */
export const LIMITS_ZONE = `
$ORIGIN limits.test.
${UNSIGNED_ZONE}
child      IN NS    ns1.child
ns1.child  IN A     192.0.2.99
link-0     IN A     192.0.2.70
${Array.from({ length: 20 }, (_, index) => `link-${index + 1} IN CNAME link-${index}`).join('\n')}
`

/** No SOA: BIND refuses to load it and answers SERVFAIL for every name in it. */
export const BROKEN_ZONE = `
$ORIGIN broken.test.
$TTL 300
@     IN TXT  "v=spf1 -all"
`
