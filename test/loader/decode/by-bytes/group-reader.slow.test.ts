import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { tinField } from '../../../../loader/collect/groups/group-fields.ts'
import { GroupStore } from '../../../../loader/collect/groups/group-store.ts'
import { GroupReader } from '../../../../loader/decode/by-bytes/group-reader.ts'
import { Findings } from '../../../../loader/decode/findings.ts'
import { odd, short } from '../../../../loader/decode/json/byte-scan.ts'
import { addProviderGroups } from '../../../../loader/decode/provider-groups.ts'
import { PublishedObject } from '../../../../loader/decode/published-object.ts'
import { at } from '../../../../schema/at.ts'
import { seedsFrom } from '../../../builders/test-machine.ts'

/** Returns the contents of a store after groups were read into it. */
function show(store: GroupStore) {
  store.endGroup()
  const texts = Array.from({ length: store.texts.count }, (_, text) => store.texts.at(text)).toSorted()
  return { texts, npis: [...store.npis.view()], tins: store.tins.length, groups: store.groups.view().slice(0, 4) }
}

function parse(text: string) {
  const [store, findings] = [new GroupStore(seedsFrom(1)), new Findings()]
  const root = PublishedObject.read({ groups: JSON.parse(text) }, {}, findings)
  addProviderGroups(root?.objects('groups', root.array('groups') ?? [], 'unfit-group') ?? [], store, findings)
  return { stored: show(store), findings: findings.list(), units: findings.units }
}

const anyNpi = fc.constantFrom<unknown>(
  1_234_567_890,
  9_999_999_999,
  0,
  '1234567890',
  '0',
  123,
  '0123456789',
  1.5,
  null,
)
const anyField = fc.constantFrom<unknown>('ein', 'EIN', 'npi', '12-3456789', '1234567890', '', 7, 'Häfen', 'A\\B')
const anyGroup = fc.record(
  {
    npi: fc.array(fc.oneof({ weight: 20, arbitrary: fc.constant(1_000_000_001) }, anyNpi), { maxLength: 5 }),
    tin: fc.record(
      {
        type: fc.oneof({ weight: 5, arbitrary: fc.constant('ein') }, anyField),
        value: fc.oneof({ weight: 5, arbitrary: fc.constant('98-7654321') }, anyField),
        business_name: anyField,
      },
      { requiredKeys: ['type', 'value'] },
    ),
  },
  { requiredKeys: ['npi', 'tin'] },
)

describe('provider groups that are read from their bytes', () => {
  it('equal the parsed ones that have no finding, in any order of the fields and with any white space', () => {
    let scannedArrays = 0
    fc.assert(
      fc.property(
        fc.array(anyGroup, { maxLength: 3 }),
        fc.constantFrom(0, 1, '\t'),
        fc.boolean(),
        (groups, space, turns) => {
          const turn = (_key: string, value: unknown): unknown =>
            turns && typeof value === 'object' && value !== null && !Array.isArray(value)
              ? Object.fromEntries(Object.entries(value).toReversed())
              : value
          const bytes = Buffer.from(JSON.stringify(groups, turn, space))
          const store = new GroupStore(seedsFrom(1))
          const reader = new GroupReader(store)
          const end = reader.read(bytes, 0, bytes.length)
          if (end === odd) return
          scannedArrays++
          const parsed = parse(bytes.toString())
          expect([end, parsed.findings]).toEqual([bytes.length, []])
          expect(show(store)).toEqual(parsed.stored)
          expect([reader.groupCount, reader.npiCount]).toEqual([
            parsed.units.groups.published,
            parsed.units.npis.published,
          ])
          for (let stop = 0; stop < bytes.length; stop++) {
            expect(new GroupReader(new GroupStore(seedsFrom(1))).read(bytes, 0, stop)).toBe(short)
          }
        },
      ),
      { numRuns: 400 },
    )
    expect(scannedArrays).toBeGreaterThan(40)
  })

  it.each([
    ['no group', '[]'],
    ['no NPI', '[{"npi":[],"tin":{"type":"ein","value":"1"}}]'],
    ['a field that the schema does not know', '[{"npi":[0],"tin":{"type":"ein","value":"1"},"x":1}]'],
    ['a field twice', '[{"npi":[0],"npi":[0],"tin":{"type":"ein","value":"1"}}]'],
    ['a TIN of another type', '[{"npi":[0],"tin":{"type":"ssn","value":"1"}}]'],
    ['a TIN without a digit', '[{"npi":[0],"tin":{"type":"ein","value":"-"}}]'],
    ['a number with an exponent', '[{"npi":[1000000001e0],"tin":{"type":"ein","value":"1"}}]'],
    ['a value with an escape', '[{"npi":[0],"tin":{"type":"ein","value":"\\u0031"}}]'],
    ['an empty name', '[{"npi":[0],"tin":{"type":"ein","value":"1","business_name":""}}]'],
    ['a name that is not a text', '[{"npi":[0],"tin":{"type":"ein","value":"1","business_name":null}}]'],
  ])('leave an array with %s to parsing', (_title, text) => {
    const bytes = Buffer.from(text)
    expect(new GroupReader(new GroupStore(seedsFrom(1))).read(bytes, 0, bytes.length)).toBe(odd)
  })

  it.each([
    ['O\\u2019Brien \\"Eye\\" Clinic', 'O’Brien "Eye" Clinic'],
    ['Clínica Ñandú', 'Clínica Ñandú'],
  ])('keep a name with escapes or in UTF-8: %s', (written, name) => {
    const bytes = Buffer.from(`[{"npi":[0],"tin":{"type":"ein","value":"1","business_name":"${written}"}}]`)
    const store = new GroupStore(seedsFrom(1))
    expect(new GroupReader(store).read(bytes, 0, bytes.length)).toBe(bytes.length)
    store.endGroup()
    expect(store.texts.at(at(store.fieldsOf(0), tinField.name))).toBe(name)
  })
})
