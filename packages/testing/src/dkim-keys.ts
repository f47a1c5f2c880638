/**
 * Public keys in the format of `p=` tags. OpenSSL made them; the private keys were not kept:
 *
 *     openssl genrsa $bits > rsa.pem
 *     openssl rsa -in rsa.pem -pubout -outform DER | base64 -w0            # SPKI
 *     openssl rsa -in rsa.pem -RSAPublicKey_out -outform DER | base64 -w0  # PKCS1
 *     openssl genpkey -algorithm ed25519 > ed25519.pem
 *     openssl pkey -in ed25519.pem -pubout -outform DER | base64 -w0             # ED25519_SPKI
 *     openssl pkey -in ed25519.pem -pubout -outform DER | tail -c 32 | base64    # ED25519
 *     openssl ecparam -name prime256v1 -genkey -noout | openssl ec -pubout -outform DER | base64 -w0
 */

/** SubjectPublicKeyInfo by size in bits, the usual format. */
export const SPKI = {
  512: 'MFwwDQYJKoZIhvcNAQEBBQADSwAwSAJBAMl5zz+urBQeBnwuhkUmPda+eCkcFbOnoCyqb2SZBi+r0F1p/UkDIv0L6TM4+vbbdh0iebHKIGip0Kx/Mey/li8CAwEAAQ==',
  768: 'MHwwDQYJKoZIhvcNAQEBBQADawAwaAJhALqoaA8+zEXicQ2f19ri1LEFdZmbpdpQ6Tq916St+2MaienpNi4wZmXjg6r4VVDNyXOmKx8G68Q60Xt3LpIFfqHAoTDQh/9RWN93vgZ5+ZOlUs2FL9TBMlRacW3s88tJfwIDAQAB',
  1023: 'MIGeMA0GCSqGSIb3DQEBAQUAA4GMADCBiAKBgF1lphSqPLHr3fafhI7GT2fZ2QqC81S1B4jxK8prO+NuPV9ByGQFG0c7V5/cQZBYS60Q1B/2VAVyV97t5Owgv/OqvyynLlr1D5yhj3vhFSZMtS1XPoV7bAa5gWKRWQzEmKXu4ZryTBuviUbo8PDE1gi40Osm1XNuI7HzLUrtnpNxAgMBAAE=',
  1024: 'MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQDWFjTJmlDqbd58jdOGRGqvmaZ/e5yGC9KiU8UpFQr74OF8/1FZ1kPZoRXMsTG+Qz37fV5l/irySfOTIm/Tvj19KtBYN+C7I6Ssg2pRcGFxNUyt36aaBQDff+T2VTL/mWrcQQ+RvdjJaiFXiX7AbwS6624pGB5sWY0IGiNDAjSW4QIDAQAB',
  1536: 'MIHfMA0GCSqGSIb3DQEBAQUAA4HNADCByQKBwQC7XHLsqPc8uNOaCYKQw+taeae6NZukfKBeOEaTmBlRVm6W4efuiUJqBoVcWRtjp0IYCKxvS2f3Zf2NfmCnY8Zf/teJp/M9ljXi4Dc3Zu1bowvDB3D9VTlyL5yrrWXt5/O2zBnXPohkJRFCwE47u3GnWxHf9jYCzXV5deQ4Bc2x6Z4dY2rnZC3ptjp8h8zRcCgMCXi1XTG2s19LEiSTioApo9+3hGF49PXWcZ/sVHcdx69UhInDPmAJjDWOJ+c7wJsCAwEAAQ==',
  2048: 'MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAnq4eVYl/C0jP+bWfO4Iwa0Glj0ywMi4sp2uFsZJy1a/uuoPAktTPjB2EJWOVdW/8Z+DTku+ceXSnjyadEUbQhRo0zEm+cFSU6Y31OPBL0tQ5NwELDA0qJFAeo8cdCKO/11e3gj/Hfgjmxn3ULSyqyCbVtapWjftNXJoabFuUrbCyjmoAhlHvGwYTZGh66BzB1QVVJuIaeiNpaWnD7E4M47TX9DE7AXronDl1iV2W3/xYNPb+j3Y8+GTgMfQBc9rl1Nm1rLbkP08Z9QI8vlOSATIZDcOUQcM6fiuqjKkZKLZAX8lM5flfBNtT/GYd0nXlHpQNw07Y3nwpbU4EiOf5fwIDAQAB',
  3072: 'MIIBojANBgkqhkiG9w0BAQEFAAOCAY8AMIIBigKCAYEA3TdNwEcqnSMbFP8natFd6sRz8JWkFCDihUN8ykgYEcJClbQgdN+Se4Z4LZ2Hl0w2YTP5oDMQOnW5YVBaVIS3+6evDFwYC3Blu0CrZdUlcd4WeJ/fUgkUn0vc4aE6EBbxQUoDWP1yrlTygpF9g2SCaIRGgMHR7jERvvkir4cVxt4KNivQ+kXnLSKMbUn0QUWMi3kYdY87j6fdmJzCEr+fs0k8s7dOGkJHscM9UnDzjCwCNjyEOoce4zLRLzFB5ZKo7A2yCI/26ZY7oAN9nKncLIzoJee8E8EFalBB5RNi0itGVR8IrkKkPvtM7vJGkq3kACHhCYQxHV05tMOHsQh42pOnPlD7jOyeC++T3LL1EzkYmCz+T6wknKiy5uq0vpxhtp/WAcLeva6c37dlKSxr/x77LPl4bz5VSPBfhY3N1wF1LSRCqgLV+J1xhDwsggp7ulSt+oIlRyEugd1JLNgBIq/8dTEmwyYK+obAA5e727rQHV9H2lBMdwJgGUW3RFN1AgMBAAE=',
  4096: 'MIICIjANBgkqhkiG9w0BAQEFAAOCAg8AMIICCgKCAgEAz5NFJrXudVqPZka0usUkxKH1u7+OWqC6A/gg08B14iJVgyrMDuViQc0PJWF2KJeThgTTLaq8VNWtZ14oMQpwPSa34lAudjeLLEIC87/zkx8VonnW622eYwfy6fi6vkmWtFpKe2PgJz8DtKCHr6wTY9cFgtRzv71E0aU+KF/4NaAN4W/OGlXUFIQdpNwK+doAOa55udbD7nLhqXibL9SdH2lFhEqAPPMQL4iAguSsiSBY4NyyXvXU6GuzVS8/p/MVHvy8P7jCL07igri7IJB1to39KNNiJVe3OCpueWR5pIgzY0gavhjMLPwXjneJhA3no/y7zGIkW99BzHA8cF7xi9nKz2O/k3Kha6W0/drLNhFGiV6YWGZTfQw+PewNtcrk9BzCyK6kJX5e/sMJJdtI9EN1vGJ0XaXuAjSvFykl5M5nyVomAXPJLFxroEQOUpzFXwTNBdV8MMfihBj6PfN9JkU6zaJ26bhUdtEjNHZ3qI5zvxtJtiAbsOgW7tLf7S+6R0RIYboODdaRxyZ9JN2uxJ76K6csybb07qKuv1bkBiLIJG/3df5+ni2NXnkVrfjr2LpUUpCip04C0MPDtyYam1sgZNBZ6s7InV2QIYS34SFeCT8ybdgkbXMZj/6Il6b9siBOlM4it7CTIvosadjwSAFiRq1K4dZyTRvn0tAT0H8CAwEAAQ==',
} as const

/** The same keys as RSAPublicKey. */
export const PKCS1 = {
  512: 'MEgCQQDJec8/rqwUHgZ8LoZFJj3WvngpHBWzp6Asqm9kmQYvq9Bdaf1JAyL9C+kzOPr223YdInmxyiBoqdCsfzHsv5YvAgMBAAE=',
  768: 'MGgCYQC6qGgPPsxF4nENn9fa4tSxBXWZm6XaUOk6vdekrftjGonp6TYuMGZl44Oq+FVQzclzpisfBuvEOtF7dy6SBX6hwKEw0If/UVjfd74GefmTpVLNhS/UwTJUWnFt7PPLSX8CAwEAAQ==',
  1023: 'MIGIAoGAXWWmFKo8sevd9p+EjsZPZ9nZCoLzVLUHiPEryms74249X0HIZAUbRztXn9xBkFhLrRDUH/ZUBXJX3u3k7CC/86q/LKcuWvUPnKGPe+EVJky1LVc+hXtsBrmBYpFZDMSYpe7hmvJMG6+JRujw8MTWCLjQ6ybVc24jsfMtSu2ek3ECAwEAAQ==',
  1024: 'MIGJAoGBANYWNMmaUOpt3nyN04ZEaq+Zpn97nIYL0qJTxSkVCvvg4Xz/UVnWQ9mhFcyxMb5DPft9XmX+KvJJ85Mib9O+PX0q0Fg34LsjpKyDalFwYXE1TK3fppoFAN9/5PZVMv+ZatxBD5G92MlqIVeJfsBvBLrrbikYHmxZjQgaI0MCNJbhAgMBAAE=',
  1536: 'MIHJAoHBALtccuyo9zy405oJgpDD61p5p7o1m6R8oF44RpOYGVFWbpbh5+6JQmoGhVxZG2OnQhgIrG9LZ/dl/Y1+YKdjxl/+14mn8z2WNeLgNzdm7VujC8MHcP1VOXIvnKutZe3n87bMGdc+iGQlEULATju7cadbEd/2NgLNdXl15DgFzbHpnh1jaudkLem2OnyHzNFwKAwJeLVdMbazX0sSJJOKgCmj37eEYXj09dZxn+xUdx3Hr1SEicM+YAmMNY4n5zvAmwIDAQAB',
  2048: 'MIIBCgKCAQEAnq4eVYl/C0jP+bWfO4Iwa0Glj0ywMi4sp2uFsZJy1a/uuoPAktTPjB2EJWOVdW/8Z+DTku+ceXSnjyadEUbQhRo0zEm+cFSU6Y31OPBL0tQ5NwELDA0qJFAeo8cdCKO/11e3gj/Hfgjmxn3ULSyqyCbVtapWjftNXJoabFuUrbCyjmoAhlHvGwYTZGh66BzB1QVVJuIaeiNpaWnD7E4M47TX9DE7AXronDl1iV2W3/xYNPb+j3Y8+GTgMfQBc9rl1Nm1rLbkP08Z9QI8vlOSATIZDcOUQcM6fiuqjKkZKLZAX8lM5flfBNtT/GYd0nXlHpQNw07Y3nwpbU4EiOf5fwIDAQAB',
  3072: 'MIIBigKCAYEA3TdNwEcqnSMbFP8natFd6sRz8JWkFCDihUN8ykgYEcJClbQgdN+Se4Z4LZ2Hl0w2YTP5oDMQOnW5YVBaVIS3+6evDFwYC3Blu0CrZdUlcd4WeJ/fUgkUn0vc4aE6EBbxQUoDWP1yrlTygpF9g2SCaIRGgMHR7jERvvkir4cVxt4KNivQ+kXnLSKMbUn0QUWMi3kYdY87j6fdmJzCEr+fs0k8s7dOGkJHscM9UnDzjCwCNjyEOoce4zLRLzFB5ZKo7A2yCI/26ZY7oAN9nKncLIzoJee8E8EFalBB5RNi0itGVR8IrkKkPvtM7vJGkq3kACHhCYQxHV05tMOHsQh42pOnPlD7jOyeC++T3LL1EzkYmCz+T6wknKiy5uq0vpxhtp/WAcLeva6c37dlKSxr/x77LPl4bz5VSPBfhY3N1wF1LSRCqgLV+J1xhDwsggp7ulSt+oIlRyEugd1JLNgBIq/8dTEmwyYK+obAA5e727rQHV9H2lBMdwJgGUW3RFN1AgMBAAE=',
  4096: 'MIICCgKCAgEAz5NFJrXudVqPZka0usUkxKH1u7+OWqC6A/gg08B14iJVgyrMDuViQc0PJWF2KJeThgTTLaq8VNWtZ14oMQpwPSa34lAudjeLLEIC87/zkx8VonnW622eYwfy6fi6vkmWtFpKe2PgJz8DtKCHr6wTY9cFgtRzv71E0aU+KF/4NaAN4W/OGlXUFIQdpNwK+doAOa55udbD7nLhqXibL9SdH2lFhEqAPPMQL4iAguSsiSBY4NyyXvXU6GuzVS8/p/MVHvy8P7jCL07igri7IJB1to39KNNiJVe3OCpueWR5pIgzY0gavhjMLPwXjneJhA3no/y7zGIkW99BzHA8cF7xi9nKz2O/k3Kha6W0/drLNhFGiV6YWGZTfQw+PewNtcrk9BzCyK6kJX5e/sMJJdtI9EN1vGJ0XaXuAjSvFykl5M5nyVomAXPJLFxroEQOUpzFXwTNBdV8MMfihBj6PfN9JkU6zaJ26bhUdtEjNHZ3qI5zvxtJtiAbsOgW7tLf7S+6R0RIYboODdaRxyZ9JN2uxJ76K6csybb07qKuv1bkBiLIJG/3df5+ni2NXnkVrfjr2LpUUpCip04C0MPDtyYam1sgZNBZ6s7InV2QIYS34SFeCT8ybdgkbXMZj/6Il6b9siBOlM4it7CTIvosadjwSAFiRq1K4dZyTRvn0tAT0H8CAwEAAQ==',
} as const

export const ED25519 = 'gL/jby1qGkkkB35IBKZFtp2hAh3ptFTpPMDxTBlacn0='
export const ED25519_SPKI = 'MCowBQYDK2VwAyEAgL/jby1qGkkkB35IBKZFtp2hAh3ptFTpPMDxTBlacn0='

/** A key of a type that DKIM does not support. */
export const P256_SPKI =
  'MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEkbGa5vawqz1eYSCqac+GkVBkbmqAXmLK4cfe345Q7zTvwXNboAdyeg3Qbe6USt95eDJenrYI1E5B392LQSArGQ=='

/** A key that is bound to RSASSA-PSS: `openssl genpkey -algorithm RSA-PSS`, 512 bits. */
export const RSA_PSS_SPKI =
  'MFowCwYJKoZIhvcNAQEKA0sAMEgCQQDCQmOXjVFu+meWjUBX9Txdt2BZFF7Oovj5ae6mGpJDHavdEspyQWW4bNrGya3kvt4rytWJ8T/sTSL234AxL0fzAgMBAAE='

/** A private key for tests only, of 512 bits, as PKCS8: `openssl genrsa 512`. */
export const TEST_ONLY_PRIVATE_KEY = `-----BEGIN PRIVATE KEY-----
MIIBVAIBADANBgkqhkiG9w0BAQEFAASCAT4wggE6AgEAAkEAnM4/5yvUoQJTWotu
ZYTDQ2EbMrlrZu3dXVl+w8GiO3wEr/pJ4XSUgnNbFg2DjFH/KK7bxwEQCQvYhsZ7
l8JFewIDAQABAkBLTjoeWUxqbuV9DI1eL95e05nuSGIuMnonRL2+YZX6HprAfltO
82kibxag9tUHW6qogRYl5aeGFwI1XwMqo0iRAiEA0I/17T35SgZd5ztEYE+OBbrs
cj2DMPAB97I5zw2xvocCIQDAeKH+mjg4RDhBklnzNudSwGqHzX2yfqPxvspCCh4q
bQIhAKQUTe7qLcA+CAxNhTqb++ioKTKrEBYlC/c5oN8zL93rAiBRHAUYaCE9BPK4
H1asufxt0QyTwjMwX1HzdDWD8wOXWQIgU040UqRNUAINKc0pB2Yvu/Q3KhOX1TaU
VY/xT1LB5Ws=
-----END PRIVATE KEY-----
`

/** An RSAPublicKey (RFC 8017 §A.1.1) whose modulus has `bits` bits, all of them 1. */
export function createRsaPublicKey(bits: number): string {
  const modulus = Buffer.alloc(Math.ceil(bits / 8), 0xff)
  modulus[0] = 0xff >> (8 * modulus.length - bits)
  const content = Buffer.concat([der(0x02, Buffer.of(0, ...modulus)), der(0x02, Buffer.of(3))])
  return der(0x30, content).toString('base64')
}

function der(tag: number, content: Buffer): Buffer {
  const length = Buffer.alloc(4)
  length.writeUInt16BE(content.length, 2)
  return Buffer.concat([Buffer.of(tag, 0x82), length.subarray(2), content])
}
