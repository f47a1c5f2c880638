/** Labels with their values, side by side. */
import type { Child } from 'hono/jsx'

/** Leaves out facts that are null. */
export function FactList({ facts }: { facts: readonly (readonly [string, Child] | null)[] }) {
  return (
    <dl class="facts">
      {facts.map(
        (fact) =>
          fact && (
            <div>
              <dt>{fact[0]}</dt>
              <dd>{fact[1]}</dd>
            </div>
          ),
      )}
    </dl>
  )
}

export function RecordText({ children }: { children: string }) {
  return <code class="text">{children}</code>
}
