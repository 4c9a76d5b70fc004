import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as v from 'valibot'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { generatePayerFile } from '../../../bench/layout/generate-payer-file.ts'

const generatedFile = v.object({
  provider_references: v.array(
    v.object({ provider_group_id: v.number(), provider_groups: v.array(v.object({ npi: v.array(v.number()) })) }),
  ),
  in_network: v.array(
    v.object({
      billing_code: v.string(),
      negotiated_rates: v.array(
        v.object({ provider_references: v.array(v.number()), negotiated_prices: v.array(v.unknown()) }),
      ),
    }),
  ),
})

describe('the generated payer of the layout bench', () => {
  let folder = ''

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'payer-file-'))
  })

  afterAll(() => rm(folder, { recursive: true }))

  it('has groups of 1 to 5,000 distinct NPIs, prices for each group, and about the requested number of rows', async () => {
    const path = join(folder, 'rates.json')
    const payer = await generatePayerFile(path, 6_000_000)
    const file = v.parse(generatedFile, JSON.parse(await readFile(path, 'utf8')))
    const sizes = new Map(
      file.provider_references.map(({ provider_group_id, provider_groups }) => {
        const npis = provider_groups.flatMap(({ npi }) => npi)
        expect(new Set(npis).size).toBe(npis.length)
        return [provider_group_id, npis.length]
      }),
    )
    expect(payer.groups).toBe(sizes.size)
    expect([Math.min(...sizes.values()), Math.max(...sizes.values())]).toEqual([1, 5000])
    const rates = file.in_network.flatMap((item) => item.negotiated_rates)
    expect(new Set(rates.flatMap((rate) => rate.provider_references))).toEqual(new Set(sizes.keys()))
    const rows = rates.flatMap(({ provider_references, negotiated_prices }) =>
      provider_references.map((id) => (sizes.get(id) ?? 0) * negotiated_prices.length),
    )
    expect(rows.reduce((sum, count) => sum + count, 0) / 6_000_000).toBeCloseTo(1, 1)
    const codes = file.in_network.map((item) => item.billing_code)
    expect(new Set(codes).size).toBe(codes.length)
  })

  it('is identical in every run', async () => {
    const [one, other] = [join(folder, 'one.json'), join(folder, 'other.json')]
    await generatePayerFile(one, 100_000)
    await generatePayerFile(other, 100_000)
    expect(await readFile(other, 'utf8')).toBe(await readFile(one, 'utf8'))
  })
})
