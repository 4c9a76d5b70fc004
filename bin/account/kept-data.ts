import type { Stage } from '../../lib/stage/stage.ts'

/** Outputs that name tables and buckets, which hold a stage's data. */
const isKept = (output: string) => /Table$|Bucket$|^(RatesLocation|ManifestsLocation)$/.test(output)

/** Tables by the option of `restore` that takes them. */
const restorable = [
  { option: 'access', output: 'AccessTable' },
  { option: 'contents', output: 'ContentsTable' },
  { option: 'fee-schedules', output: 'CatalogueTable' },
  { option: 'jobs', output: 'JobsTable' },
  { option: 'webhooks', output: 'WebhooksTable' },
] as const

/**
 * Describes what a stage that is not disposable keeps when it is destroyed, and the way back.
 *
 * @param outputs of the stage's stacks
 * @param option names the stage to `deploy`
 */
export function describeKept(
  { name, customDomain }: Pick<Stage, 'name' | 'customDomain'>,
  outputs: Readonly<Record<string, string>>,
  option: string,
): string {
  const lines = Object.entries(outputs).flatMap(([output, value]) => (isKept(output) ? [`  ${output}: ${value}`] : []))
  const tables = restorable.flatMap(({ option: table, output }) => {
    const value = outputs[output]
    return value === undefined ? [] : [`--${table} ${value}`]
  })
  const [, bucket] = /^s3:\/\/([^/]+)\/$/.exec(outputs['RatesLocation'] ?? '') ?? []
  const address =
    customDomain === undefined
      ? ['The API then has another address: clients must be told, unless its stage file names a customDomain.']
      : []
  return [
    '; it kept:',
    ...lines,
    'To bring it back (docs/restoring.md):',
    ...(bucket === undefined ? [] : [`  add "ratesBucket": "${bucket}" to the stage file`]),
    `  npm run deploy -- ${option}`,
    `  npm run restore -- --stage ${name} ${tables.join(' ')} --dry-run`,
    ...address,
  ].join('\n')
}

/** Explains the protection of stacks, and how to remove it. */
export const describeProtection = (stacks: readonly string[]): string =>
  `${stacks.join(' and ')}: protected from deletion, because the stage is not disposable. To destroy it, first: ${stacks
    .map(
      (name) =>
        `aws cloudformation update-termination-protection --no-enable-termination-protection --stack-name ${name}`,
    )
    .join(' && ')}`
