/** Facts side by side: what it is, and how it is here. */
import type { Child } from 'hono/jsx'

/** A fact that is null is left out. */
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
