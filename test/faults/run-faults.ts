import type { CoveredCall } from './coverage.ts'
import { canMeet, findUncovered } from './coverage.ts'
import { deliveries } from './delivery.ts'
import type { Fault } from './fault.ts'
import { faultNames } from './fault.ts'
import type { FaultyService } from './faulty-service.ts'
import { startFaultyService } from './faulty-service.ts'
import type { CaseResult } from './run-case.ts'
import { runCase } from './run-case.ts'
import { runSigningCase, signingCall } from './run-signing-case.ts'
import type { Scenario } from './scenario.ts'
import { scenarios, wholeJob } from './scenario.ts'

/** A row of the table, and the scenario that makes its call. */
export interface TableRow extends CoveredCall {
  readonly scenario: Scenario
}

export interface FaultsReport {
  readonly rows: readonly TableRow[]
  readonly results: readonly CaseResult[]
  /** What went wrong, one line each. */
  readonly problems: readonly string[]
}

/** How many cases run at once. */
const casesAtOnce = 12

/** Runs every scenario without a fault, then once per call and fault. */
export async function runFaults(
  columns: readonly Fault[] = faultNames,
  onResult: (result: CaseResult) => void = () => {},
): Promise<FaultsReport> {
  const faulty = await startFaultyService()
  try {
    const whole = await runCase(faulty, wholeJob)
    const signing = await runSigning(faulty, whole, columns)
    const plain = await runAll(
      scenarios.filter((scenario) => scenario !== wholeJob).map((scenario) => () => runCase(faulty, scenario)),
    )
    const rows = listRows([whole, ...plain])
    const cases = rows
      .filter(({ call }) => call !== signingCall)
      .flatMap((row) => columns.filter((fault) => canMeet(row, fault)).map((fault) => [row, fault] as const))
      .map(
        ([{ scenario, call }, fault]) =>
          () =>
            runCase(faulty, scenario, { call, fault }),
      )
    const delivered = deliveries.map((each) => () => runCase(faulty, each.scenario ?? wholeJob, undefined, each))
    const struck = await runAll([...cases, ...delivered], onResult)
    const alone = await runMissedAlone(faulty, struck, onResult)
    const results = await runAll(
      [whole, ...plain, ...signing, ...struck, ...alone].map((result) => async () => {
        return { ...result, problems: [...result.problems, ...(await result.again())] }
      }),
    )
    const uncovered = findUncovered({ rows, columns, cases: results, rights: faulty.rights })
    return { rows, results, problems: [...results.flatMap(describeProblems), ...uncovered] }
  } finally {
    await faulty.close()
  }
}

/**
 * A sweep serves the jobs of all cases: one case's fault may end it before it reaches the call of another, which then
 * never meets its fault. Each such case is run again on its own.
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

/** The calls of every scenario, each attributed to the first that makes it; a sweep's to one that needs the sweep. */
function listRows(results: readonly CaseResult[]): readonly TableRow[] {
  const rows = new Map<string, TableRow>()
  for (const { scenario, record, sweeps } of results)
    for (const { name, isConditional } of record.calls.values())
      if ((sweeps > 0 || !name.startsWith('sweep-searches')) && !rows.has(name))
        rows.set(name, { call: name, scenario, isConditional })
  return [...rows.values()]
}

/** Names a case in a report: its scenario, fault and delivery. */
export function describeCase({ scenario, fault, delivery }: CaseResult): string {
  return fault === undefined ? (delivery.name ?? scenario.name) : `${fault.call} ${fault.fault}`
}

function describeProblems(result: CaseResult): readonly string[] {
  return result.problems.map((problem) => `${describeCase(result)}: ${problem}`)
}

/** Runs all tasks, a few at a time, and returns their results in order. */
async function runAll<Result>(
  tasks: readonly (() => Promise<Result>)[],
  onResult: (result: Result) => void = () => {},
): Promise<Result[]> {
  const results: Result[] = []
  const left = tasks.entries()
  const work = async () => {
    for (const [index, task] of left) {
      const result = await task()
      results[index] = result
      onResult(result)
    }
  }
  await Promise.all(Array.from({ length: casesAtOnce }, work))
  return results
}
