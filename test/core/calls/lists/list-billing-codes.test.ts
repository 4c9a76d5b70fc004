import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { NamedBillingCodeBody } from '../../../../contract/search-api.ts'
import { listBillingCodes } from '../../../../core/calls/lists/list-billing-codes.ts'
import { Unauthorized } from '../../../../core/errors.ts'
import { maxReadNames } from '../../../../core/vocabulary/find-billing-codes.ts'
import type { CodeNames } from '../../../../core/vocabulary/ports.ts'
import { letIn, ownKey, unknownKey } from '../../../builders/own-job.ts'
import { createMemoryJobs } from '../../../doubles/memory-ports.ts'
import { createMemoryCodeNames } from '../../../doubles/vocabulary/memory-code-names.ts'
import { readFaultPaths } from './read-faults.ts'

type Parameters = Readonly<Record<string, string | undefined>>

const { access } = letIn({ jobs: createMemoryJobs() })
const codeNames = createMemoryCodeNames()
const deps = { access, now: () => new Date('2026-11-20T09:30:00Z'), log: () => {}, codeNames }
const list = (parameters: Parameters, names: CodeNames = codeNames) =>
  listBillingCodes({ ...deps, codeNames: names }, ownKey, parameters)

const knee = { type: 'CPT', code: '73721', name: 'MRI of the knee' }
const names = [
  knee,
  { type: 'CPT', code: '73722', name: 'MRI of the knee, with Contrast' },
  { type: 'CPT', code: '73560', name: 'X-Ray exam of knee' },
  { type: 'HCPCS', code: 'L1830', name: 'Knee orthosis, élastic' },
  { type: 'MS-DRG', code: '470', name: 'Major joint replacement' },
  { type: 'NDC', code: '00002143380', name: 'Dulaglutide pen' },
]
await codeNames.addNames('a', names, '1')
await codeNames.addNames(
  'b',
  [
    { ...knee, name: 'Scan of the knee (MRI)' },
    { ...knee, name: 'MRI knee' },
  ],
  '2',
)
await codeNames.addNames('c', [{ ...knee, name: 'Scan of the knee (MRI)' }], '3')

const codesOf = async (parameters: Parameters) =>
  (await list(parameters)).billing_codes.map(({ billing_code }) => billing_code)

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
    ['0002-1433', []],
    ['00002-1433', ['00002143380']],
    ['mr', ['73721', '73722']],
    ['nee', []],
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
    await twice.addNames('a', [knee], '1')
    await twice.addNames('b', [{ ...knee, name: 'MRI knee' }], '2')
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
    [
      { q: 'x', billing_code_type: '', limit: '101', cursor: 'c', payer: 'P' },
      ['payer', 'q', 'billing_code_type', 'limit', 'cursor'],
    ],
  ])('names every fault of %o', async (parameters, paths) => {
    expect(await faultsOf(parameters)).toEqual(paths)
  })

  it('refuses the cursor of other words', async () => {
    const cursor = (await list({ q: 'knee', limit: '1' })).next_cursor ?? ''
    expect(await faultsOf({ q: 'knee', cursor })).toEqual([])
    expect(await faultsOf({ q: 'mri', cursor })).toEqual(['cursor'])
    expect(await faultsOf({ q: 'knee', billing_code_type: 'CPT', cursor })).toEqual(['cursor'])
  })

  it('looks up another word if too many names have the longest, and refuses a query of such words only', async () => {
    const common = Array.from({ length: maxReadNames + 1 }, () => ({ ...knee, name: 'Unlisted', publisherKeys: ['a'] }))
    const full: CodeNames = {
      async *readNames(start) {
        if (start === 'unl') yield common
        else yield* codeNames.readNames(start)
      },
    }
    expect(await faultsOf({ q: 'unlisted' }, full)).toEqual(['q'])
    expect(await faultsOf({ q: 'unlisted knee' }, full)).toEqual([])
  })

  it('needs a key', async () => {
    await expect(listBillingCodes(deps, unknownKey, { q: 'knee' })).rejects.toThrow(Unauthorized)
  })
})
