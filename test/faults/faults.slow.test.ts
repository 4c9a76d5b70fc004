import { beforeAll, expect, test } from 'vitest'
import { scenarios, waitingScenarios } from './cases/scenario.ts'
import { describeCase, type FaultsReport, runFaults } from './run-faults.ts'

let report: FaultsReport
beforeAll(async () => {
  // The faults that leave the most behind; `npm run faults` runs all.
  report = await runFaults(['error after', 'conditional', 'crash before', 'late'])
})

test('every job ends correctly under any single fault and any duplicate or late delivery', () => {
  expect(report.results.length).toBeGreaterThan(100)
  expect(report.problems).toEqual([])
})

test('every scenario ran without a fault first', () => {
  const names = report.results.filter(({ fault, delivery }) => fault === undefined && !delivery.name).map(describeCase)
  expect(names).toEqual([...scenarios, ...waitingScenarios].map(({ name }) => name))
})
