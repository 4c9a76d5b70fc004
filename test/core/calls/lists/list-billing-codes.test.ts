import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { NamedBillingCodeBody } from '../../../../contract/search-api.ts'
import { listBillingCodes } from '../../../../core/calls/lists/list-billing-codes.ts'
import { Unauthorized } from '../../../../core/errors.ts'
import { RateLimited } from '../../../../core/limits/rate-limited.ts'
import type { CodeName } from '../../../../core/vocabulary/code-names.ts'
import { openCodeFinder } from '../../../../core/vocabulary/find-billing-codes.ts'
import type { CodeNames } from '../../../../core/vocabulary/ports.ts'
import { maxLetters } from '../../../../core/vocabulary/share-room.ts'
import { letIn, ownKey, unknownKey } from '../../../builders/own-job.ts'
import { createMemoryJobs } from '../../../doubles/memory-ports.ts'
import { openReads } from '../../../doubles/memory-usages.ts'
import { createMemoryCodeNames } from '../../../doubles/vocabulary/memory-code-names.ts'
import { readFaultPaths } from './read-faults.ts'

type Parameters = Readonly<Record<string, string | undefined>>

const { access } = letIn({ jobs: createMemoryJobs() })
const codeNames = createMemoryCodeNames()
const now = () => new Date('2026-11-20T09:30:00Z')
const deps = { access, ...openReads(), now, log: () => {}, findBillingCodes: openCodeFinder(codeNames, now) }
const list = (parameters: Parameters, names: CodeNames = codeNames) =>
  listBillingCodes({ ...deps, findBillingCodes: openCodeFinder(names, now) }, ownKey, parameters)

/** Adds a list of names of a payer. */
const addNames = (store: typeof codeNames, payerKey: string, names: readonly CodeName[]) =>
  store.addList({ payerKey, id: `list${store.lists.length}`, sourceIds: [], names, createdAt: now() })

const knee = { type: 'CPT', code: '73721', name: 'MRI of the knee' }
const names = [
  knee,
  { type: 'CPT', code: '73722', name: 'MRI of the knee, with Contrast' },
  { type: 'CPT', code: '73560', name: 'X-Ray exam of knee' },
  { type: 'HCPCS', code: 'L1830', name: 'Knee orthosis, élastic' },
  { type: 'MS-DRG', code: '470', name: 'Major joint replacement' },
  { type: 'NDC', code: '00002143380', name: 'Dulaglutide pen' },
]
await addNames(codeNames, 'a', names)
await addNames(codeNames, 'b', [
  { ...knee, name: 'Scan of the knee (MRI)' },
  { ...knee, name: 'MRI knee' },
])
await addNames(codeNames, 'c', [{ ...knee, name: 'Scan of the knee (MRI)' }])

const codesOf = async (parameters: Parameters, names?: CodeNames) =>
  (await list(parameters, names)).billing_codes.map(({ billing_code }) => billing_code)

const faultsOf = (parameters: Parameters, names?: CodeNames) => readFaultPaths(list(parameters, names))

describe('the list of billing codes', () => {
  it.each([
    ['knee mri', ['73721', '73722']],
    ['MRI KN', ['73721', '73722']],
    ['contr', ['73722']],
    ['7372', ['73721', '73722']],
    ['73721 knee', ['73721']],
    ['elastic', ['L1830']],
    ['ÉLAS', ['L1830']],
    ['xray', ['73560']],
    ['x-ray', ['73560']],
    ['x ray', ['73560']],
    ['cpt knee', ['73560', '73721', '73722']],
    ['drg joint', ['470']],
    ['0470', ['470']],
    ['00470', ['470']],
    ['0470 joint', ['470']],
    ['0002-1433-80', ['00002143380']],
    ['0002-1433', []],
    ['00002-1433', ['00002143380']],
    ['mr', ['73721', '73722']],
    ['nee', []],
    ['magnetic resonance', ['73721', '73722']],
    ['leg joint mri', ['73721', '73722']],
    ['knee xrays', ['73560']],
    ['kneee', ['73560', '73721', '73722', 'L1830']],
    ['nkee', []],
    ['replcaement', ['470']],
    ['knee contrasd', ['73722']],
    ['7321', []],
    ['knee elephant', []],
  ])('finds by "%s"', async (q, codes) => {
    expect(await codesOf({ q })).toEqual(codes)
  })

  it('shows the name that most publishers write, and how many do', async () => {
    const [first] = (await list({ q: '73721' })).billing_codes
    expect(first).toEqual({
      billing_code_type: 'CPT',
      billing_code: '73721',
      name: 'Scan of the knee (MRI)',
      publisher_count: 2,
    })
  })

  it('shows the shortest of equally common names, and only names that have the words', async () => {
    const twice = createMemoryCodeNames()
    await addNames(twice, 'a', [knee])
    await addNames(twice, 'b', [{ ...knee, name: 'MRI knee' }])
    const codes = (await list({ q: 'knee' }, twice)).billing_codes
    expect(codes.map(({ name }) => name)).toEqual(['MRI knee'])
    const [withArticle] = (await list({ q: 'knee the' }, twice)).billing_codes
    expect(withArticle).toMatchObject({ name: 'MRI of the knee', publisher_count: 1 })
  })

  it('shows only codes of a type, in upper or lower case', async () => {
    expect(await codesOf({ q: 'knee', billing_code_type: 'hcpcs' })).toEqual(['L1830'])
    expect(await codesOf({ q: 'knee', billing_code_type: 'RC' })).toEqual([])
  })

  it('answers an empty page if no file has names', async () => {
    expect(await list({ q: 'knee' }, createMemoryCodeNames())).toEqual({ billing_codes: [], next_cursor: null })
  })

  it('shows each code once over its pages, whatever their size', async () => {
    const whole = (await list({ q: 'knee' })).billing_codes
    const pageSize = fc.integer({ min: 1, max: 5 })
    await fc.assert(
      fc.asyncProperty(pageSize, async (limit) => {
        const all: NamedBillingCodeBody[] = []
        for (let cursor: string | null | undefined; cursor !== null; ) {
          const page = await list({ q: 'knee', limit: String(limit), ...(cursor && { cursor }) })
          expect(page.billing_codes.length).toBeLessThanOrEqual(limit)
          all.push(...page.billing_codes)
          cursor = page.next_cursor
        }
        expect(all).toEqual(whole)
      }),
    )
  })

  it.each<[Parameters, readonly string[]]>([
    [{}, ['q']],
    [{ q: '' }, ['q']],
    [{ q: 'x' }, ['q']],
    [{ q: '--' }, ['q']],
    [{ q: 'a'.repeat(201) }, ['q']],
    [{ q: 'knee', billing_code_type: ' ' }, ['billing_code_type']],
    [{ q: 'knee', billing_code_type: 'T'.repeat(65) }, ['billing_code_type']],
    [{ q: 'x', billing_code_type: '', limit: '101', cursor: 'c' }, ['q', 'billing_code_type', 'limit', 'cursor']],
  ])('names every fault of %o', async (parameters, paths) => {
    expect(await faultsOf(parameters)).toEqual(paths)
  })

  it('refuses the cursor of other words', async () => {
    const cursor = (await list({ q: 'knee', limit: '1' })).next_cursor ?? ''
    expect(await faultsOf({ q: 'knee', cursor })).toEqual([])
    expect(await faultsOf({ q: 'mri', cursor })).toEqual(['cursor'])
    expect(await faultsOf({ q: 'knee', billing_code_type: 'CPT', cursor })).toEqual(['cursor'])
  })

  it('counts a payer once, whatever its files write and however many lists it has', async () => {
    const names = createMemoryCodeNames()
    for (const payerKey of ['a', 'b']) await addNames(names, payerKey, [knee])
    for (let file = 0; file < 4; file++) await addNames(names, 'c', [{ ...knee, name: 'Free knee' }])
    expect((await list({ q: 'knee' }, names)).billing_codes).toMatchObject([{ name: knee.name, publisher_count: 2 }])
  })

  it('finds the names of other payers, however many one has', async () => {
    const names = createMemoryCodeNames()
    const text = `knee ${'x'.repeat(190)}`
    const many = Array.from({ length: 1.2 * (maxLetters / text.length) }, (_, index) => ({
      ...{ type: 'LOCAL', code: `L${index}`, name: text },
    }))
    await addNames(names, 'a', many)
    for (const payerKey of ['b', 'c']) await addNames(names, payerKey, [knee])
    expect(await codesOf({ q: 'knee mri' }, names)).toEqual(['73721'])
    expect(await codesOf({ q: 'L1' }, names)).toContain('L1')
  })

  it('reads names again only after they have changed', async () => {
    const names = createMemoryCodeNames()
    let reads = 0
    const counted: CodeNames = {
      ...names,
      readLists: (payerKey) => {
        reads += 1
        return names.readLists(payerKey)
      },
    }
    const findBillingCodes = openCodeFinder(counted, now)
    const find = async () => (await findBillingCodes({ q: 'knee', limit: 1 })).items.length
    expect([await find(), await find(), reads]).toEqual([0, 0, 1])
    await addNames(names, 'a', [knee])
    await names.writeVersion('2')
    expect([await find(), await find(), reads]).toEqual([1, 1, 2])
  })

  it('count towards the rate of the organization when they are answered, and not when they are refused', async () => {
    const limited = { ...deps, ...openReads({ searches: 1, perMinute: 1 }) }
    const ask = (parameters: Parameters) => listBillingCodes(limited, ownKey, parameters)
    for (const _ of Array(6)) await readFaultPaths(ask({ q: 'x' }))
    for (const _ of Array(5)) await ask({ q: 'knee' })
    await expect(ask({ q: 'knee' })).rejects.toThrow(RateLimited)
  })

  it('needs a key', async () => {
    await expect(listBillingCodes(deps, unknownKey, { q: 'knee' })).rejects.toThrow(Unauthorized)
  })
})
