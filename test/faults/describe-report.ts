import type { CaseResult } from './cases/run-case.ts'
import { canMeet } from './coverage.ts'
import { type Fault, faultNames } from './proxy/fault.ts'
import type { FaultsReport, TableRow } from './run-faults.ts'

/** The table of calls and faults, with how each case's job ended. `!` marks a case with problems. */
export function describeTable({ rows, results }: FaultsReport): string {
  const columns = faultNames.filter((name) => results.some(({ fault }) => fault?.fault === name))
  const head = `| call | ${columns.join(' | ')} |\n|---|${columns.map(() => '---|').join('')}\n`
  return (
    head +
    rows.map((row) => `| ${row.call} | ${columns.map((each) => cell(row, each, results)).join(' | ')} |\n`).join('')
  )
}

function cell(row: TableRow, column: Fault, results: readonly CaseResult[]): string {
  if (!canMeet(row, column)) return '-'
  const result = results.find(({ fault }) => fault?.call === row.call && fault.fault === column)
  if (result === undefined) return 'not run'
  const swept = result.sweeps > 0 ? `, ${result.sweeps} sweep${result.sweeps > 1 ? 's' : ''}` : ''
  return `${result.problems.length > 0 ? '! ' : ''}${result.outcome}${swept}`
}

/** The table of duplicate and late deliveries. */
export function describeDeliveries({ results }: FaultsReport): string {
  const lines = results.flatMap(({ delivery: { name }, outcome, problems }) =>
    name === undefined ? [] : `| ${name} | ${problems.length > 0 ? '! ' : ''}${outcome} |\n`,
  )
  return `| delivery | end |\n|---|---|\n${lines.join('')}`
}
