import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { NpiRuns } from '../../../../loader/collect/groups/npi-runs.ts'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'npis-'))
})
afterAll(() => rm(folder, { recursive: true }))

const anyNpi = fc.oneof(
  fc.constant(0),
  fc.integer({ min: 1_000_000_000, max: 1_000_000_050 }),
  fc.integer({ min: 1_000_000_000, max: 9_999_999_999 }),
)

describe('runs of NPIs', () => {
  it('count each NPI of the runs that count once, without 0', () => {
    const anyRun = fc.record({
      npis: fc.array(anyNpi, { maxLength: 60 }),
      counts: fc.constantFrom(true, false, undefined),
    })
    fc.assert(
      fc.property(fc.array(anyRun, { maxLength: 12 }), (runs) => {
        using written = new NpiRuns(folder)
        for (const { npis, counts } of runs) {
          for (const npi of npis.toSorted((a, b) => a - b)) written.add(npi)
          written.endRun(counts === undefined)
          if (counts !== undefined) written.decide(counts)
        }
        const countedNpis = new Set(runs.flatMap(({ npis, counts }) => (counts === false ? [] : npis)))
        countedNpis.delete(0)
        expect(written.count()).toBe(countedNpis.size)
      }),
    )
  })

  it('count more NPIs than are read at once, and leave no file', async () => {
    {
      using written = new NpiRuns(folder)
      for (const step of [1, 3, 7]) {
        for (let index = 0; index < 200_000; index += step) written.add(1_000_000_000 + 40_000 * index)
        written.endRun(true)
      }
      expect(written.count()).toBe(200_000)
      expect(await readdir(folder)).toEqual(['npis'])
    }
    expect(await readdir(folder)).toEqual([])
  })
})
