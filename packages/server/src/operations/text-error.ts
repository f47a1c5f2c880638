/** What is said of a parameter that is not there, or is no text: over JSON it can be anything. */
export function missingTextError(parameter: string, wanted: string) {
  return ({ input }: { readonly input?: unknown }): string =>
    input === undefined
      ? `The parameter ${parameter} is missing; give ${wanted}.`
      : `The parameter ${parameter} is not text; give ${wanted}.`
}
