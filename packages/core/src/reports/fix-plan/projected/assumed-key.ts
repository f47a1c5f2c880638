/**
 * Stands in, when a plan is tried out, for a key that only the provider knows: any well-formed key
 * of 2048 bits scores the same. Nobody has its private half, and it is never handed out.
 */
export const ASSUMED_KEY =
  'v=DKIM1; k=rsa; p=MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAxmzGwpOw5E8QKgUis3zmDjapyJ2mVABfKG4T7+Bc5NgLNE+0KofbmpQFp6K733IL9z1OCGHmJGbANWkCmhlCvkpDexug9DBF/JXF1oLTgTUQwDrsbmsQ5HXuoRxVGxklQSY+YB6suFe/M3TRdc5bsViaBfkx+Avc04WQGVtrkpYzCH0QdA+jnSZ/oS3qO9+4DTEFnwTpIq4QK9o5YToglanVp1HA5uz808tyj71zwUiNrBT4btd9Dy9vl+gkeyagud21sbryKXYH86Gp219Fo2z3BGKlMk29VCqsn92y5AC7DsOxmr4JTkaTtQa+ERk7HGuK6U+ysKKZvSuH7o4vowIDAQAB'
