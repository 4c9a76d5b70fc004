import type { NamedBillingCode, Specialty } from '../../api.ts'
import { takeFirst } from '../../take-first.ts'
import { type Answer, fitTable, shortText } from '../answer.ts'
import { defineTool } from '../tool.ts'

/** Maximum numbers of codes and specialties in an answer. */
const [maxCodes, maxSpecialties] = [30, 5]

export const findCodes = defineTool('find_codes', {
  title: 'Find billing codes',
  description:
    'Finds billing codes (CPT, HCPCS, MS-DRG and others) by words of the names under which loaded files list them, or by the beginning of the code, and specialties of providers by theirs. Payers name codes differently, so try other words too. One service often has several codes, with and without contrast or for parts of it: ask the user which one, and never decide by the name alone.',
  async answer({ calls }, { q, billing_code_type }, signal) {
    if (q === undefined) return { codes: [], needs: [{ about: 'q', ask: 'Which service is meant, in a few words?' }] }
    const filter = billing_code_type === undefined ? { q } : { q, billing_code_type }
    const codes = await takeFirst(calls.billingCodes({ ...filter, pageSize: maxCodes + 1 }, { signal }), maxCodes + 1)
    const specialties =
      billing_code_type === undefined
        ? await takeFirst(calls.specialties({ q, pageSize: maxSpecialties }, { signal }), maxSpecialties)
        : []
    if (codes.length === 0 && specialties.length === 0) return describeNothing()
    return {
      ...describeCodes(codes),
      ...(specialties.length > 0 && { specialties: specialties.map(describeSpecialty) }),
      next: 'summarise_rates takes the codes as billing_codes, and specialties as providers.taxonomies.',
    }
  },
})

function describeCodes(codes: readonly NamedBillingCode[]) {
  const columns = ['billing_code_type', 'billing_code', 'name', 'publisher_count']
  const rows = codes.slice(0, maxCodes).map((code): Readonly<Record<string, unknown>> => ({ ...code }))
  const { same_in_all_rows, unshown, ...table } = fitTable(rows, columns, charactersAround)
  const hasMore = unshown > 0 || codes.length > maxCodes
  return {
    same_in_all_rows,
    ...table,
    ...(hasMore && { left_out: 'There are more codes. Add words, or a billing_code_type.' }),
  }
}

/** Characters of an answer besides its codes, at most. */
const charactersAround = 1_200

const describeSpecialty = ({ code, name, grouping }: Specialty) => ({
  code,
  name: shortText(name),
  grouping: shortText(grouping),
})

const describeNothing = (): Answer => ({
  codes: [],
  needs: [{ about: 'q', ask: 'No loaded file names a code so. Which code does the bill or the order have?' }],
  next: 'Call find_codes with fewer or other words: payers abbreviate.',
})
