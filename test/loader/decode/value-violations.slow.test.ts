import { describe, expect, it } from 'vitest'
import { buildFile, buildGroup, buildItem, buildReference } from '../../builders/in-network-builder.ts'
import { createTestWarehouse } from '../../builders/test-warehouse.ts'
import type { JsonRow } from '../json-row.ts'
import { flattenNaively } from '../naive-flattening.ts'
import { type Pair, type Violation, violations } from './value-violations.ts'

const names = { payer: 'Blue Harbor Health', plan: 'Harbor PPO Gold', sourceFile: 'rates.json' }

function writeFile(pairs: readonly Pair[]): string {
  const provider_references = pairs.map(({ reference }) => reference)
  const in_network = pairs.map(({ item }) => item)
  return JSON.stringify(buildFile({ plan_id_type: 'hios', provider_references, in_network })).replace(
    /"\$([^"$]*)\$"/g,
    '$1',
  )
}

async function loadText(text: string) {
  await using warehouse = await createTestWarehouse()
  const path = await warehouse.write('rates.json', text)
  const { files } = await warehouse.load({ files: [path], maxSkipped: 1 })
  const findings = Object.fromEntries((files[0]?.findings ?? []).map(({ rule, count }) => [rule, count]))
  return { findings, rows: await warehouse.readRates() }
}

/** Expects the rows of a valid file, except for the values that violations change. */
function expectRows(cases: readonly Violation[], rows: readonly JsonRow[]): void {
  const sound = flattenNaively(writeFile(cases.map(soundPair)), names)
  const expected = cases.flatMap(({ rows }, index) =>
    rows.map((changes) => ({
      ...sound[index],
      provider_group_id: expect.any(String),
      price_id: expect.any(String),
      // The key depends on the values that a violation changes.
      price_key: expect.any(String),
      ...changes,
    })),
  )
  expect(rows).toEqual(expected)
}

function soundPair(_violation: Violation, index: number): Pair {
  const id = index + 1
  const groups = [buildGroup({ npi: [1_000_000_000 + id] })]
  return {
    item: buildItem({ references: [id] }),
    reference: buildReference({ provider_group_id: id, provider_groups: groups }),
  }
}

describe('a load of a file with values that the schema does not allow', () => {
  it.each(violations)('loads or skips $title, and counts it', async (violation) => {
    const other = soundPair(violation, 1)
    const text = writeFile([violation.pair(1), other])
    const { rows, findings } = await loadText(text)
    expect(findings).toEqual(violation.findings)
    expect(rows).toEqual(flattenNaively(text, names))
    expectRows([violation], rows.slice(0, -1))
  })

  it('loads or skips all of them in one file', async () => {
    const text = writeFile(violations.map(({ pair }, index) => pair(index + 1)))
    const { rows, findings } = await loadText(text)
    const counts = violations.flatMap((each) => Object.entries(each.findings))
    const sums = Map.groupBy(counts, ([rule]) => rule)
    const expected = [...sums].map(([rule, each]) => [rule, each.reduce((sum, [, count]) => sum + count, 0)])
    expect(findings).toEqual(Object.fromEntries(expected))
    expect(rows).toEqual(flattenNaively(text, names))
    expectRows(violations, rows)
  })
})
