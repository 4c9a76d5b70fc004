import { mapAtOnce } from '../../core/work-at-once.ts'
import { type Delivery, deliveries, waitingDeliveries } from './cases/delivery.ts'
import { type CaseResult, runCase } from './cases/run-case.ts'
import { runSigningCase, signingCall } from './cases/run-signing-case.ts'
import { type Scenario, scenarios, waitingScenarios, wholeJob } from './cases/scenario.ts'
import { type CoveredCall, canMeet, findUncovered } from './coverage.ts'
import { type Fault, faultNames } from './proxy/fault.ts'
import { type FaultyService, startFaultyService } from './proxy/faulty-service.ts'

/** A call in the table, and the scenario that makes it. */
export interface TableRow extends CoveredCall {
  readonly scenario: Scenario
}

export interface FaultsReport {
  readonly rows: readonly TableRow[]
  readonly results: readonly CaseResult[]
  /** The violations that were found, one line each. */
  readonly problems: readonly string[]
}

/** Number of concurrent cases. */
const casesAtOnce = 12

/**
 * Runs every scenario without a fault, then once for each of its calls with each fault. Queries are handed over to
 * await-query; a second service waits for them in start-query and publishes there, whose calls get the faults too.
 */
export async function runFaults(
  columns: readonly Fault[] = faultNames,
  onResult: (result: CaseResult) => void = () => {},
): Promise<FaultsReport> {
  const handed = await runService(0, (faulty) => runHandedOver(faulty, columns, onResult))
  const waited = await runService(60_000, (faulty) => runWaitedFor(faulty, columns, onResult))
  const handedCalls = new Set(handed.rows.map(({ call }) => call))
  const rows = [...handed.rows, ...waited.rows.filter(({ call }) => !handedCalls.has(call))]
  const results = [...handed.results, ...waited.results]
  const uncovered = findUncovered({ rows, columns, cases: results, rights: handed.rights })
  return { rows, results, problems: [...results.flatMap(describeProblems), ...uncovered] }
}

interface ServiceReport {
  readonly rows: readonly TableRow[]
  readonly results: readonly CaseResult[]
}

async function runService(queryWaitMs: number, run: (faulty: FaultyService) => Promise<ServiceReport>) {
  const faulty = await startFaultyService(queryWaitMs)
  try {
    const { rows, results } = await run(faulty)
    const lasting = await mapAtOnce(results, casesAtOnce, async (result) => ({
      ...result,
      problems: [...result.problems, ...(await result.again())],
    }))
    return { rows, results: lasting, rights: faulty.rights }
  } finally {
    await faulty.close()
  }
}

async function runHandedOver(
  faulty: FaultyService,
  columns: readonly Fault[],
  onResult: (result: CaseResult) => void,
): Promise<ServiceReport> {
  const whole = await runCase(faulty, wholeJob)
  const signing = await runSigning(faulty, whole, columns)
  const others = scenarios.filter((scenario) => scenario !== wholeJob)
  const plain = await mapAtOnce(others, casesAtOnce, (scenario) => runCase(faulty, scenario))
  const rows = listRows([whole, ...plain])
  const unsigned = rows.filter(({ call }) => call !== signingCall)
  const struck = await runStruck(faulty, { rows: unsigned, columns, deliveries }, onResult)
  const alone = await runMissedAlone(faulty, struck, onResult)
  return { rows, results: [whole, ...plain, ...signing, ...struck, ...alone] }
}

async function runWaitedFor(
  faulty: FaultyService,
  columns: readonly Fault[],
  onResult: (result: CaseResult) => void,
): Promise<ServiceReport> {
  const plain = await mapAtOnce(waitingScenarios, casesAtOnce, (scenario) => runCase(faulty, scenario))
  const rows = listRows(plain).filter(({ call }) => call.startsWith('start-query '))
  const struck = await runStruck(faulty, { rows, columns, deliveries: waitingDeliveries }, onResult)
  return { rows, results: [...plain, ...struck] }
}

/** Every fault for every call, and the duplicate and late deliveries. */
function runStruck(
  faulty: FaultyService,
  given: {
    readonly rows: readonly TableRow[]
    readonly columns: readonly Fault[]
    readonly deliveries: readonly Delivery[]
  },
  onResult: (result: CaseResult) => void,
): Promise<readonly CaseResult[]> {
  const cases = given.rows.flatMap((row) =>
    given.columns
      .filter((fault) => canMeet(row, fault))
      .map((fault) => () => runCase(faulty, row.scenario, { call: row.call, fault })),
  )
  const delivered = given.deliveries.map((each) => () => runCase(faulty, each.scenario ?? wholeJob, undefined, each))
  return mapAtOnce([...cases, ...delivered], casesAtOnce, async (run) => {
    const result = await run()
    onResult(result)
    return result
  })
}

/**
 * A sweep serves the jobs of all cases, so a fault that ends it for one case may keep it from a call of another, which
 * then never meets its fault. Such a case is run once more, alone.
 */
async function runMissedAlone(
  faulty: FaultyService,
  struck: readonly CaseResult[],
  onResult: (result: CaseResult) => void,
): Promise<CaseResult[]> {
  const results: CaseResult[] = []
  for (const { scenario, fault, record } of struck) {
    if (fault === undefined || record.hits.has(0) || !fault.call.startsWith('sweep-searches ')) continue
    const result = await runCase(faulty, scenario, fault)
    results.push(result)
    onResult(result)
  }
  return results
}

async function runSigning(faulty: FaultyService, whole: CaseResult, columns: readonly Fault[]): Promise<CaseResult[]> {
  const results: CaseResult[] = []
  for (const fault of columns.filter((each) => each !== 'conditional'))
    results.push(await runSigningCase(faulty, wholeJob, whole.completed, fault))
  return results
}

/**
 * The calls of every scenario. A sweep belongs to the scenarios that need it, although it reads all jobs; a call made
 * by several scenarios belongs to the first.
 */
function listRows(results: readonly CaseResult[]): readonly TableRow[] {
  const rows = new Map<string, TableRow>()
  for (const { scenario, record, sweeps } of results)
    for (const { name, isConditional } of record.calls.values())
      if ((sweeps > 0 || !name.startsWith('sweep-searches')) && !rows.has(name))
        rows.set(name, { call: name, scenario, isConditional })
  return [...rows.values()]
}

/** Describes the case behind a result, for the report. */
export function describeCase({ scenario, fault, delivery }: CaseResult): string {
  return fault === undefined ? (delivery.name ?? scenario.name) : `${fault.call} ${fault.fault}`
}

function describeProblems(result: CaseResult): readonly string[] {
  return result.problems.map((problem) => `${describeCase(result)}: ${problem}`)
}
