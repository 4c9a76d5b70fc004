/** Outputs that name tables, buckets and the database, which hold a stage's data. */
const isKept = (output: string) => /Table$|Bucket$|^(RatesLocation|ManifestsLocation|DatabaseName)$/.test(output)

/** What is left of a stage that is not disposable, by the outputs of its stacks. */
export function describeKept(outputs: Readonly<Record<string, string>>): string {
  const lines = Object.entries(outputs).flatMap(([name, value]) => (isKept(name) ? [`\n  ${name}: ${value}`] : []))
  return `; it kept (docs/operations.md, "Restoring"):${lines.join('')}`
}

/** Why stacks cannot be destroyed, and how they can. */
export const describeProtection = (stacks: readonly string[]): string =>
  `${stacks.join(' and ')}: protected from deletion, because the stage is not disposable. To destroy it, first: ${stacks
    .map(
      (name) =>
        `aws cloudformation update-termination-protection --no-enable-termination-protection --stack-name ${name}`,
    )
    .join(' && ')}`
