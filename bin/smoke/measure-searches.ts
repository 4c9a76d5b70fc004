import { setTimeout as sleep } from 'node:timers/promises'
import { createAthenaInspection, type InspectedQuery } from '../../adapters/athena/athena-inspection.ts'
import { createAthenaQueries } from '../../adapters/athena/athena-queries.ts'
import type { SearchRequest } from '../../client/api.ts'
import { describeFault } from '../command/errors.ts'
import { CheckFailed } from './checks.ts'
import type { MeasuredStage } from './open-target.ts'
import type { StartedSearch, TrialSession } from './run-trial.ts'
import type { TrialSearch } from './trial-search.ts'

/** A search of one class, as Athena ran it. */
export interface MeasuredSearch {
  readonly label: string
  readonly rows: number
  readonly query: InspectedQuery
  /** Lines of Athena's EXPLAIN of the search's SELECT, or the reason why there is none. */
  readonly plan: readonly string[]
}

/** Number of codes or providers that count as many. */
const many = 20

/** Lists a search for each class: each gives Athena another way to its rows. */
export function listClasses({ pairs, feeSchedule }: Pick<TrialSearch, 'pairs' | 'feeSchedule'>) {
  const [first] = pairs
  if (first === undefined) throw new CheckFailed('the plan has no provider with a code')
  const npis = [...new Set(pairs.map(({ npi }) => npi))].slice(0, many)
  const codes = [...new Set(pairs.map(({ code }) => code))].slice(0, many)
  const fee_schedules = [feeSchedule]
  return [
    ['one provider, one code', { npis: [first.npi], billing_codes: [first.code], fee_schedules }],
    ['one provider', { npis: [first.npi], fee_schedules }],
    ['one code', { billing_codes: [first.code], fee_schedules }],
    [`${npis.length} providers`, { npis, fee_schedules }],
    [`${codes.length} codes`, { billing_codes: codes, fee_schedules }],
  ] as const satisfies readonly (readonly [label: string, request: SearchRequest])[]
}

/**
 * Runs a search of each class, one after the other, and reads what Athena says of its query.
 *
 * @param onCreated is told of each search, for its removal
 * @throws CheckFailed if Athena does not have the query of a search
 */
export async function measureSearches(
  { client, signal }: TrialSession,
  trial: Pick<TrialSearch, 'pairs' | 'feeSchedule'>,
  stage: MeasuredStage,
  onCreated: (search: StartedSearch) => void,
): Promise<readonly MeasuredSearch[]> {
  const inspection = createAthenaInspection(stage.workGroup)
  const searches: MeasuredSearch[] = []
  for (const [label, request] of listClasses(trial)) {
    const { job_id: jobId } = await client.create(request, { signal })
    onCreated({ client, jobId })
    const { rows } = await client.completedManifest(jobId, { signal })
    const query = await inspection.findQuery(jobId)
    if (query === undefined) throw new CheckFailed(`Athena's history does not have the query of ${jobId}`)
    searches.push({ label, rows, query, plan: await explain(query.statement, stage, signal) })
  }
  return searches
}

/** Asks Athena for the plan of a search's SELECT. A measurement goes on without it. */
async function explain(statement: string, stage: MeasuredStage, signal: AbortSignal): Promise<readonly string[]> {
  try {
    const queries = createAthenaQueries(stage)
    const started = await queries.start({ statement: `EXPLAIN ${readSelect(statement)}`, token: crypto.randomUUID() })
    if (started.outcome !== 'started') return [`unknown: Athena answered ${started.outcome}`]
    for (;;) {
      const state = await queries.look(started.queryId)
      if (state.state === 'failed') return [`unknown: ${state.reason}`]
      if (state.state === 'succeeded') return await createAthenaInspection(stage.workGroup).readPlan(started.queryId)
      await sleep(500, undefined, { signal })
    }
  } catch (error) {
    if (signal.aborted) throw error
    return [`unknown: ${describeFault(error)}`]
  }
}

/** Returns the SELECT within a search's UNLOAD. */
export function readSelect(statement: string): string {
  const [, select] = /^UNLOAD \(\n([\s\S]*)\n\) TO '/.exec(statement) ?? []
  if (select === undefined) throw new TypeError('the query of a search is no UNLOAD')
  return select
}
