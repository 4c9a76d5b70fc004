import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { listBillingCodes } from '../../../../core/calls/lists/list-billing-codes.ts'
import { listFeeSchedules } from '../../../../core/calls/lists/list-fee-schedules.ts'
import { listProviders } from '../../../../core/calls/lists/list-providers.ts'
import { listSpecialties } from '../../../../core/calls/lists/list-specialties.ts'
import { ensureIndexed } from '../../../../core/catalogue/word-index/word-index.ts'
import { openCodeFinder } from '../../../../core/vocabulary/find-billing-codes.ts'
import { letIn, ownKey } from '../../../builders/own-job.ts'
import { newAmbiguousEntry, newEntry, newNppesMonth } from '../../../builders/sample-search.ts'
import { createMemoryCatalogue } from '../../../doubles/memory-catalogue.ts'
import { createMemoryContents } from '../../../doubles/memory-contents.ts'
import { createMemoryJobs } from '../../../doubles/memory-ports.ts'
import { openReads } from '../../../doubles/memory-usages.ts'
import { createMemoryCodeNames } from '../../../doubles/vocabulary/memory-code-names.ts'
import { createMemoryProviderFiles } from '../../../doubles/vocabulary/memory-provider-files.ts'

const { access } = letIn({ jobs: createMemoryJobs() })
const now = () => new Date('2026-11-20T09:30:00Z')
const deps = { access, ...openReads(), now, log: () => {} }

/** Returns those of the texts that a list finds by words. */
type Find = (texts: readonly string[], q: string) => Promise<readonly string[]>

/** Finds plans with these names, or of employers with these names. */
const findPlans =
  (path: 'q' | 'sponsor'): Find =>
  async (texts, q) => {
    const ofPlans = path === 'q'
    const entries = ofPlans
      ? texts.flatMap((plan) => [
          newEntry({ payer: 'Zz', plan }),
          newEntry({ payer: 'Zz', plan: `${plan} (no plan id)`, variantOf: plan, planIds: [] }),
        ])
      : [
          newAmbiguousEntry({ payer: 'Zz', plan: 'Zz' }, texts.length),
          ...texts.map((sponsor, index) =>
            newEntry({ payer: 'Zz', plan: `Zz (ID ${index})`, variantOf: 'Zz', facts: { sponsors: [sponsor] } }),
          ),
        ]
    const catalogue = createMemoryCatalogue(entries)
    await ensureIndexed({ catalogue, newId: () => 'segment', now })
    const lists = { ...deps, catalogue, contents: createMemoryContents() }
    const { fee_schedules: found } = await listFeeSchedules(lists, ownKey, { [path]: q })
    return found.flatMap(({ plan, plan_sponsor_names: sponsors }) => (ofPlans ? plan : sponsors))
  }

const findCodes: Find = async (texts, q) => {
  const codeNames = createMemoryCodeNames()
  const names = texts.map((name, index) => ({ type: 'ZZ', code: `${index}`, name }))
  await codeNames.addList({ payerKey: 'zz', id: 'list', sourceIds: [], names, createdAt: now() })
  const lists = { ...deps, findBillingCodes: openCodeFinder(codeNames, now) }
  return (await listBillingCodes(lists, ownKey, { q, limit: '100' })).billing_codes.map(({ name }) => name)
}

const findSpecialties: Find = async (texts, q) => {
  const all = texts.map((name, index) => ({ code: `${index}`, name, grouping: '' }))
  const lists = { ...deps, specialties: { readSpecialties: async () => all } }
  return (await listSpecialties(lists, ownKey, { q })).specialties.map(({ name }) => name)
}

const findProviders: Find = async (texts, q) => {
  const facts = { taxonomy: null, city: null, state: 'OR', zip: null }
  const lists = {
    ...deps,
    contents: {
      readNppesMonths: async () => ({
        version: '1',
        active: newNppesMonth({ directory: { bytes: 9 } }),
        replaced: [],
      }),
    },
    providerFiles: createMemoryProviderFiles(texts.map((name, npi) => ({ ...facts, npi, name }))),
    specialties: { readSpecialties: async () => [] },
  }
  const { providers } = await listProviders(lists, ownKey, { q, state: 'OR', limit: '50' })
  return providers.flatMap(({ name }) => name ?? [])
}

const lists: readonly (readonly [string, Find])[] = [
  ['plans', findPlans('q')],
  ['sponsors of plans', findPlans('sponsor')],
  ['codes', findCodes],
  ['specialties', findSpecialties],
  ['providers', findProviders],
]

/** Few letters, so that words are often near to others; no everyday word and no payer has only these. */
const letter = fc.constantFrom(...'qwxv')
const wordOf = (minLength: number) => fc.string({ unit: letter, minLength, maxLength: 30 })
const text = fc
  .array(wordOf(1), { minLength: 1, maxLength: 4 })
  .map((words) => words.map((each) => each[0]?.toUpperCase() + each.slice(1)).join(' '))

/** Makes one typing error in a word, behind its first letter. */
const mistype = (letters: string, position: number, other: string, kind: number): string => {
  const at = 1 + (position % (letters.length - 1))
  const [before, after] = [letters.slice(0, at), letters.slice(at)]
  const errors = [
    before + other + after,
    before + after.slice(1),
    before + other + after.slice(1),
    before + after.slice(1, 2) + after.slice(0, 1) + after.slice(2),
  ]
  return errors[kind] ?? letters
}

const mistyped = fc
  .tuple(wordOf(5), fc.nat(), letter, fc.nat(3))
  .map(([letters, position, other, kind]) => [letters, mistype(letters, position, other, kind)] as const)

describe.each(lists)('the words that find %s', (_, find) => {
  it('may have a typing error each: a letter too much, missing, wrong or swapped', async () => {
    const errors = fc.array(mistyped, { minLength: 1, maxLength: 3 })
    await fc.assert(
      fc.asyncProperty(errors, async (words) => {
        const published = words.map(([letters]) => letters).join(' ')
        const typed = words.map(([, letters]) => letters)
        expect(await find([published, 'Other'], typed.join(' '))).toEqual([published])
      }),
    )
  })

  it('forgive nothing if a text has the word, in a short word, a number, the first letter, or more than three', async () => {
    const texts = ['Qwxvv', 'Qwxxx', 'Wxv', 'Xxxxx1', 'Vqqqq Vwwww Vxxxx Vvvvv']
    expect(await find(texts, 'qwxv')).toEqual(['Qwxvv'])
    expect(await find(texts, 'qwx')).toEqual(['Qwxvv', 'Qwxxx'])
    for (const q of ['wxx', 'xxxxx2', 'vwxvv', 'vqwqq vwqww vxwxx vvwvv'])
      expect([q, await find(texts, q)]).toEqual([q, []])
    expect(await find(texts, 'vqwqq vwqww vxwxx vvvvv')).toEqual(texts.slice(-1))
  })
})

it('finds the same by any words in every list', async () => {
  // The list of codes refuses a query of one letter.
  const word = fc.oneof(
    wordOf(2),
    mistyped.map(([, letters]) => letters),
  )
  const words = fc.array(word, { minLength: 1, maxLength: 3 })
  const texts = fc.uniqueArray(text, { minLength: 1, maxLength: 6, selector: (each) => each.toLowerCase() })
  await fc.assert(
    fc.asyncProperty(texts, words, async (all, typed) => {
      const q = typed.join(' ')
      const [first, ...others] = await Promise.all(lists.map(async ([, find]) => new Set(await find(all, q))))
      for (const found of others) expect(found).toEqual(first)
    }),
    { numRuns: 300 },
  )
})
