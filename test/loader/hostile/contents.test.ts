import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { FileFinder } from '../../../fetch/file-finder.ts'
import { openPlans } from '../../../loader/plans/open-plans.ts'
import { Spellings } from '../../../loader/plans/plan-names.ts'
import { readContents } from '../../../loader/plans/read-contents.ts'
import { nameSome } from '../../../schema/phrases.ts'

const folder = await mkdtemp(join(tmpdir(), 'contents-'))
afterAll(() => rm(folder, { recursive: true }))

const numbersTo = (count: number) => Array.from({ length: count }, (_, number) => number)

/** Writes a table of contents in which all plans are in the same two entries, each with half of the files. */
async function writeContents(plans: number, files: number): Promise<string> {
  const path = join(folder, `${plans}-${files}.json`)
  const reporting_plans = numbersTo(plans).map((number) => ({
    plan_name: `Plan ${number}`,
    plan_id_type: 'hios',
    plan_id: String(number),
  }))
  const entries = numbersTo(files).map((number) => ({
    description: '',
    location: `https://files.example/${number}.json`,
  }))
  const halves = [entries.slice(0, files / 2), entries.slice(files / 2)]
  const reporting_structure = halves.map((in_network_files) => ({ reporting_plans, in_network_files }))
  await writeFile(path, JSON.stringify({ reporting_entity_name: 'Harbor', version: '2.0.0', reporting_structure }))
  return path
}

describe('the names in a message', () => {
  it.each([10, 20])('include three of %i, and only these are formatted', (count) => {
    const names = numbersTo(count).map((number) => `name ${number}`)
    for (const collection of [names, new Set(names)]) {
      const shown: string[] = []
      const show = (name: string) => name.replace('name', String(shown.push(name)))
      expect(nameSome(collection, 3, ', ', show)).toBe(`1 0, 2 1, 3 2 and ${count - 3} more`)
      expect(shown).toEqual(['name 0', 'name 1', 'name 2'])
    }
  })

  it('include every name of a short list', () => {
    expect(nameSome([1, 2, 3])).toBe('1, 2, 3')
    expect(nameSome([], 3)).toBe('')
  })
})

describe('plans that share their files', () => {
  it('share one list of them, even if it comes from several entries', async () => {
    const { plans } = await readContents(await writeContents(20, 10), {}, {})
    expect(plans).toHaveLength(20)
    expect(plans[0]?.files).toHaveLength(10)
    expect(new Set(plans.map(({ files }) => files)).size).toBe(1)
  })

  it('share one reason for being left out, which names three of the missing files', async () => {
    const toc = await writeContents(20, 10)
    const { leftOut } = await openPlans({ toc, files: [] }, [], { newId: () => 'id' })
    expect(leftOut).toHaveLength(20)
    const reasons = new Set(leftOut.map(({ reason }) => reason))
    const addresses =
      'https://files.example/0.json, https://files.example/1.json, https://files.example/2.json and 7 more'
    expect([...reasons]).toEqual([expect.stringContaining(`10 listed files are missing (${addresses})`)])
  })
})

it('names three addresses that would share a local file, however many there are', async () => {
  const path = join(folder, 'rates.json')
  await writeFile(path, '{}')
  const finder = await FileFinder.open([path], undefined)
  const addresses = numbersTo(50).map((number) => `https://files.example/${number}/rates.json`)
  for (const address of addresses) finder.find(address, join(folder, 'toc.json'))
  const results = addresses.map((address) => finder.find(address, join(folder, 'toc.json')))
  const reasons = new Set(results.map((result) => (result.outcome === 'ambiguous' ? result.reason : result.outcome)))
  expect([...reasons]).toEqual([
    expect.stringMatching(/\/0\/rates.json, \S+\/1\/rates.json, \S+\/2\/rates.json and 47 more/),
  ])
})

it('shows the most common spelling of a plan beside all others, however many there are', () => {
  const spellings = new Spellings([])
  const spell = (number: number) =>
    `plan ${number.toString(2).padStart(8, '0').replaceAll('0', 'a').replaceAll('1', 'A')}`
  const plans = numbersTo(256).map((number) => ({ payer: 'Harbor', plan: spell(number), planId: undefined }))
  for (const plan of plans) spellings.add(plan)
  spellings.add({ payer: 'Harbor', plan: spell(9) })
  const faults = plans.map((plan) => spellings.findFault(plan, {}))
  expect(faults[9]).toBeUndefined()
  expect(new Set(faults.toSpliced(9, 1))).toEqual(new Set([`it is also spelled "${spell(9)}": choose one with --plan`]))
})
