/** The challenge as callers may rely on it: what is published of x402's PaymentRequired. */
import { z } from 'zod'

export const paymentRequiredSchema = z.object({
  x402Version: z.literal(2),
  error: z.string().describe('`payment_required`, or why the payment that was sent is not taken'),
  resource: z.object({ url: z.url(), description: z.string(), mimeType: z.string() }),
  accepts: z
    .array(
      z.object({
        scheme: z.literal('exact'),
        network: z.string(),
        amount: z.string().describe('In units of 1/1,000,000 USDC'),
        asset: z.string(),
        payTo: z.string(),
        maxTimeoutSeconds: z.int(),
        extra: z.object({ name: z.string(), version: z.string() }),
      }),
    )
    .describe('Sign one of them'),
  extensions: z.record(z.string(), z.unknown()),
})
