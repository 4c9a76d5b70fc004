import type { ResultRow } from '../../client/results/result-row.ts'
import { type Fields, isFields } from './fields.ts'

/** An answer of the tool, as far as the plot needs it. The server writes it, but it came by way of the host. */
interface PlottedAnswer {
  /** The groups of a summary; empty for an answer without any. */
  readonly rows: readonly ResultRow[]
  /** Sentences about the groups. */
  readonly remarks: readonly string[]
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** Reads the result of a tool. Rows have the values that they share, too. */
export function readAnswer(result: Fields): PlottedAnswer {
  const { structuredContent: answer } = result
  if (result['isError'] === true || !isFields(answer)) return { rows: [], remarks: [] }
  const shared = isFields(answer['same_in_all_rows']) ? answer['same_in_all_rows'] : {}
  const columns = listOf(answer['columns']).map(String)
  const rows = listOf(answer['rows']).map((row) => {
    const values = listOf(row)
    return { ...shared, ...Object.fromEntries(columns.map((column, index) => [column, values[index]])) }
  })
  return { rows: columns.includes('median') || 'median' in shared ? rows : [], remarks: describeAnswer(answer) }
}

function describeAnswer(answer: Fields): readonly string[] {
  const { counted, left_out: leftOut } = answer
  const plans = listOf(answer['plans']).flatMap((plan) =>
    isFields(plan) && typeof plan['last_updated_on'] === 'string'
      ? [`${plan['plan']} was published ${plan['last_updated_on']}.`]
      : [],
  )
  return [
    ...(typeof counted === 'string' ? [`Counted by ${counted}.`] : []),
    ...plans,
    ...(typeof leftOut === 'string' ? [`The answer left out ${leftOut}.`] : []),
  ]
}
