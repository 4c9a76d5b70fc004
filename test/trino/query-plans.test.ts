import * as v from 'valibot'
import { describe, expect, inject, it } from 'vitest'
import { parseSearchRequest } from '../../core/search/parse-search-request.ts'
import { selectStatement } from '../../core/search/statement.ts'
import { choice, gold, silver } from '../conformance/samples.ts'
import { explainOnTrino } from './stand-in/measured-query.ts'
import { scopeOnTrino } from './stand-in/search-scope.ts'

const trino = inject('trino')

/** A node of a plan. Source: Trino documentation, "EXPLAIN", type LOGICAL, format JSON. */
interface PlanNode {
  readonly name: string
  readonly children: readonly PlanNode[]
}

const planNode: v.GenericSchema<unknown, PlanNode> = v.looseObject({
  name: v.string(),
  children: v.lazy(() => v.array(planNode)),
})

const npis = (count: number) => Array.from({ length: count }, (_, index) => 1_000_100_002 + index)
const codes = (count: number) => ['99213', ...Array.from({ length: count - 1 }, (_, index) => `Z${index}`)]

/** A search of every class, and the table whose rows must stream: the one that no filter makes small. */
const searches = [
  ['one NPI', { npis: npis(1) }, 'negotiated_rates'],
  ['one NPI and a code', { npis: npis(1), billing_codes: codes(1) }, 'negotiated_rates'],
  ['a TIN', { tins: ['00-1551506'] }, 'negotiated_rates'],
  ['a state and codes', { providers: { states: ['TX'] }, billing_codes: codes(300) }, 'negotiated_rates'],
  ['many NPIs', { npis: npis(2000) }, 'negotiated_rates'],
  ['codes alone', { billing_codes: codes(10) }, 'provider_groups'],
  ['many NPIs and few codes', { npis: npis(2000), billing_codes: codes(10) }, 'provider_groups'],
  ['many codes', { billing_codes: codes(2000) }, 'negotiated_rates'],
] as const

const statementOf = async (lists: object, withNppes: boolean, joinOrder?: 'other') => {
  const request = parseSearchRequest({ ...lists, fee_schedules: [gold, silver, choice] })
  const nppesMonthId = withNppes ? trino.nppesMonthId : undefined
  return selectStatement(request, {
    ...(await scopeOnTrino(trino, request)),
    ...(nppesMonthId && { nppesMonthId }),
    joinOrder,
  })
}

/** Returns the joins of a plan. A join streams its first child and builds the second. */
function listJoins(node: PlanNode): readonly PlanNode[] {
  return [...(/Join$/.test(node.name) ? [node] : []), ...node.children.flatMap(listJoins)]
}

const reads = (node: PlanNode | undefined, table: string) => JSON.stringify(node).includes(`:search_${table}`)

describe.each([
  ['without NPPES', false],
  ['with NPPES', true],
])('the plan of a search %s', (_, withNppes) => {
  it.each(searches)('streams the table that no filter makes small: %s', async (_name, lists, streamed) => {
    const plan = await explainOnTrino(trino.url, await statementOf(lists, withNppes), 'TYPE LOGICAL, FORMAT JSON')
    const joins = listJoins(v.parse(planNode, JSON.parse(plan)))
    const main = joins.filter((join) => reads(join, 'negotiated_rates') && reads(join, 'provider_groups'))
    expect(main.length).toBeGreaterThan(0)
    const built = main.filter(({ children: [, build] }) => reads(build, streamed))
    // The keys and NPIs of groups are looked up in subqueries, so groups may be built where they do not stream whole.
    expect(built.filter(({ name }) => name === 'InnerJoin')).toEqual([])
  })

  it.each(searches)('builds that table in the other order of joins: %s', async (_name, lists, streamed) => {
    const plan = await explainOnTrino(
      trino.url,
      await statementOf(lists, withNppes, 'other'),
      'TYPE LOGICAL, FORMAT JSON',
    )
    const joins = listJoins(v.parse(planNode, JSON.parse(plan)))
    const main = joins.filter((join) => reads(join, 'negotiated_rates') && reads(join, 'provider_groups'))
    const built = main.filter(({ name, children: [, build] }) => name === 'InnerJoin' && reads(build, streamed))
    expect(built).not.toEqual([])
  })

  it.each(searches)('sends no prices by their source alone: %s', async (_name, lists) => {
    const plan = await explainOnTrino(trino.url, await statementOf(lists, withNppes))
    const fragments = new Map(
      plan.split(/^Fragment (?=\d+ )/m).flatMap((text) => {
        const [, id] = /^(\d+) \[/.exec(text) ?? []
        return id === undefined ? [] : [[id, text] as const]
      }),
    )
    expect(fragments.size).toBeGreaterThan(3)
    const holdsPrices = (text: string): boolean =>
      text.includes(':search_negotiated_rates') ||
      [...text.matchAll(/sourceFragmentIds = \[([\d, ]+)\]/g)].some(([, ids = '']) =>
        ids.split(', ').some((id) => holdsPrices(fragments.get(id) ?? '')),
      )
    const bySource = [...fragments.values()].filter((text) => {
      const [, columns] = /Output partitioning: HASH \[([^\]]*)\]/.exec(text) ?? []
      return columns?.split(', ').every((column) => column.startsWith('source')) ?? false
    })
    expect(bySource.filter(holdsPrices)).toEqual([])
  })
})
