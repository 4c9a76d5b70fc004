import * as v from 'valibot'
import { collectLists, requestedValuesOf } from '../../contract/filters.ts'
import { maxFaults } from '../../contract/limits.ts'
import { isRecord } from '../../contract/schemas/requests/request-schemas.ts'
import { day, searchRequestOf } from '../../contract/schemas/requests/search-request.ts'
import type { Fault } from '../../contract/search-api.ts'
import { defaultWeight, type SummaryRequest, summaryDimensions } from '../../contract/summaries.ts'
import { normaliseName } from '../../contract/texts/names.ts'
import { printable, showValue } from '../../contract/texts/show-value.ts'
import { type ColumnName, ratesColumns } from '../../schema/columns/rates.ts'
import { rowColumns } from '../../schema/summary/result-columns.ts'
import { readSearchedPlanId } from '../catalogue/plan-id.ts'
import { InvalidRequest } from '../errors.ts'
import { isoDay } from '../time.ts'
import { adviseName } from './advise-name.ts'
import { canonicalValues } from './filter-kinds.ts'
import { type SearchRequest, sortPairs } from './search-request.ts'

/**
 * Parses the body of `POST /v1/searches`.
 *
 * @param body JSON of unknown shape, as `parseStrictJson` returns it
 * @param otherFaults faults already found outside the body
 * @param now the latest day that as_of may name @default - it may be any
 * @throws InvalidRequest listing every fault with field, value and rule
 */
export function parseSearchRequest(body: unknown, otherFaults: readonly Fault[] = [], now?: Date): SearchRequest {
  const { output, faults } = checkBySchema(requestSchema, body)
  const allFaults = [...otherFaults, ...faults, ...findFutureDay(body, now)]
  if (output === undefined || allFaults.length > 0) throw new InvalidRequest(allFaults)
  return canonicalise(output)
}

const columnNames: readonly ColumnName[] = ratesColumns.map(({ name }) => name)

const columnName = v.picklist(
  columnNames,
  ({ input }) =>
    `must be the name of a column of results; got ${showValue(input)}; ${adviseName(input, columnNames, 'columns')}`,
)

const requestSchema = searchRequestOf(columnName)

/** Finds a day that has not come, which depends on the time of the request. */
function findFutureDay(body: unknown, now: Date | undefined): readonly Fault[] {
  if (now === undefined || !isRecord(body) || !v.is(day, body['as_of'])) return []
  const [asOf, today] = [body['as_of'], isoDay(now)]
  if (asOf <= today) return []
  return [{ path: 'as_of', message: `must not be after today, ${today} in UTC; got ${showValue(asOf)}` }]
}

function canonicalise(body: RequestOutput): SearchRequest {
  const lists = collectLists((filter) => {
    const values = requestedValuesOf(body, filter)
    return values && canonicalValues(filter, values)
  })
  const pairs = body.fee_schedules.flatMap((plans) => ('plan_id' in plans ? [] : plans))
  const planIds = body.fee_schedules.flatMap((plans) => ('plan_id' in plans ? readSearchedPlanId(plans.plan_id) : []))
  const { as_of: asOf, summary, columns, limit, max_bytes: maxBytes } = body
  return {
    ...lists,
    feeSchedules: sortPairs(
      pairs.map(({ payer, plan }) => ({ payer: normaliseName(payer), plan: normaliseName(plan) })),
    ),
    ...(planIds.length > 0 && { planIds: [...new Set(planIds)].sort() }),
    ...(asOf !== undefined && { asOf }),
    ...(summary && { summary: canonicalSummary(summary) }),
    ...(columns && { columns: rowColumns(columns).map(({ name }) => name) }),
    ...(limit !== undefined && { limit }),
    ...(maxBytes !== undefined && { maxBytes }),
  }
}

type RequestOutput = v.InferOutput<typeof requestSchema>

/** Leaves out what means the default, so that equal summaries are equal. */
function canonicalSummary({
  weight = defaultWeight,
  by = [],
  include_doubtful: includeDoubtful = false,
  count_providers: countProviders = false,
  order,
  limit,
}: NonNullable<RequestOutput['summary']>): SummaryRequest {
  return {
    weight,
    by: summaryDimensions.filter((dimension) => by.includes(dimension)),
    ...(includeDoubtful && { includeDoubtful }),
    ...(countProviders && { countProviders }),
    ...(order !== undefined && limit !== undefined && { first: { order, limit } }),
  }
}

/** Checks a value by a schema. @returns the value, or all of its faults in the order of its fields */
function checkBySchema<const Schema extends v.GenericSchema>(schema: Schema, value: unknown) {
  const result = v.safeParse(schema, value)
  if (result.success) return { output: result.output, faults: [] }
  return { output: undefined, faults: result.issues.map(describeIssue) }
}

/** Writes an issue as a fault. Advice on names is costly, and given only as far as answers show faults. */
function describeIssue(issue: v.BaseIssue<unknown>, index: number): Fault {
  const { message, expected, requirement } = issue
  const path: readonly v.IssuePathItem[] = issue.path ?? []
  const field = path.map(({ key }) => (typeof key === 'number' ? `[${key}]` : `.${printable(String(key))}`)).join('')
  const name = path.at(-1)?.key
  const isUnknown = expected === 'never' && Array.isArray(requirement)
  const advice = isUnknown && index < maxFaults ? `; ${adviseName(name, requirement.map(String), 'fields')}` : ''
  return { path: field.replace(/^\./, ''), message: `${message}${advice}` }
}
