import type * as v from 'valibot'
import { filterList, listNames, requestField } from '../../filters.ts'
import { isRecord } from './request-schemas.ts'

const notWithSummary = {
  columns: 'cannot be chosen with `summary`, whose rows have columns of their own: leave it out',
  limit: 'cannot be given with `summary`: some of its rows would look like all of them: leave it out',
} as const

const filterFields = [...new Set(filterList.map(requestField))]

/** The fields of a summary that name its first rows. */
const firstRows = ['order', 'limit'] as const

/**
 * Adds the faults of fields that do not go together.
 *
 * @param value the body of a search
 */
export function checkTogether(
  value: unknown,
  addIssue: (info: { message: string; path: [v.ObjectPathItem, ...v.ObjectPathItem[]] }) => void,
) {
  if (!isRecord(value)) return
  const itemOf = (input: Record<string, unknown>, key: string): v.ObjectPathItem => ({
    type: 'object',
    origin: 'value',
    input,
    key,
    value: undefined,
  })
  const refuse = (key: string, message: string) => addIssue({ message, path: [itemOf(value, key)] })
  if ('summary' in value)
    for (const field of ['columns', 'limit'] as const) if (field in value) refuse(field, notWithSummary[field])
  const { summary: statistics } = value
  if (isRecord(statistics) && firstRows.some((field) => field in statistics))
    for (const field of firstRows.filter((each) => !(each in statistics)))
      addIssue({
        message: `is required: \`order\` and \`limit\` name the first rows together`,
        path: [itemOf(value, 'summary'), itemOf(statistics, field)],
      })
  if (filterFields.every((name) => !(name in value)))
    refuse('npis', `at least one of ${listNames(filterFields)} is required; those left out mean all`)
}
