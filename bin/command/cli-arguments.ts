import type { SampleSearch } from '../../local/samples/sample-data.ts'

/** The arguments of `rate-search search` for a search. */
export function describeArguments({ npis, billing_codes, fee_schedules }: SampleSearch): readonly string[] {
  return [
    ...fee_schedules.flatMap(({ payer, plan }) => ['--payer', payer, '--plan', plan]),
    ...(npis === undefined ? [] : ['--npi', npis.join()]),
    ...(billing_codes === undefined ? [] : ['--code', billing_codes.join()]),
  ]
}

/** A word as a shell takes it. */
export const quoteWord = (word: string) => (/^[\w,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)
