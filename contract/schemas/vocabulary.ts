import * as v from 'valibot'
import { billingCodePages, maxBillingCodeLength, specialtyPages } from '../limits.ts'
import { publishedTaxonomy } from '../provider-ids.ts'
import {
  billingCodeText,
  count,
  describeObject,
  describeValue,
  nameText,
  nextCursor,
  pageSize,
  wordRules,
} from './values.ts'

const codeType = (description: string) =>
  describeValue(v.pipe(v.string(), v.maxLength(maxBillingCodeLength)), description, 'CPT')

export const namedBillingCode = describeObject('A billing code with a name under which loaded files list it.', {
  billing_code_type: codeType('Type of the code, in upper case.'),
  billing_code: describeValue(v.string(), 'The code, as a search takes it.', '73721'),
  name: describeValue(
    v.string(),
    'Name of the code as published: of the names with all words of `q`, the one that most payers write, and of equally common ones the shortest.',
    'MRI knee',
  ),
  publisher_count: describeValue(
    v.pipe(count, v.minValue(1)),
    'Number of payers whose files write this name for the code.',
    2,
  ),
})

export const billingCodesPage = describeObject('One page of the billing codes that a text finds.', {
  billing_codes: v.pipe(
    v.array(namedBillingCode),
    v.description('One page, ordered by type and code. Empty if no loaded file names such a code.'),
  ),
  next_cursor: nextCursor,
})

export const billingCodesLimit = describeValue(pageSize(billingCodePages), 'Maximum number of codes in a page.', 20)

/** Filters of the list; `q` is required. */
export const billingCodeFilters = {
  q: describeValue(
    nameText,
    `Words of a name of the code, or its beginning. All words are in one name, ${wordRules}. A word may also be the type of the code. At least one word or code has two letters or digits. Everyday words also find other words for the same (\`knee\` finds leg joints). The rules for names of payers apply.`,
    'knee mri',
  ),
  billing_code_type: describeValue(billingCodeText, 'Only codes of this type, in upper or lower case.', 'CPT'),
}

export const specialty = describeObject('A specialty of providers, from the code set that the operator has loaded.', {
  code: describeValue(
    v.pipe(v.string(), v.regex(publishedTaxonomy)),
    'The taxonomy code, as `providers.taxonomies` of a search takes it.',
    '2085R0202X',
  ),
  name: describeValue(v.string(), 'Name of the specialty.', 'Radiology, Reading of pictures'),
  grouping: describeValue(v.string(), 'The group that it belongs to.', 'Doctors'),
})

export const specialtiesPage = describeObject('One page of the specialties that a text finds.', {
  specialties: v.pipe(
    v.array(specialty),
    v.description('One page, ordered by code. Empty if nothing matches, or if the operator has loaded none.'),
  ),
  next_cursor: nextCursor,
})

export const specialtiesLimit = describeValue(
  pageSize(specialtyPages),
  'Maximum number of specialties in a page, which has room for all of them at once.',
  100,
)

export const specialtyWords = describeValue(
  nameText,
  'Only specialties with all of these words in their name or group, read as `q` of the fee schedules is, or codes that begin so.',
  'radiology',
)
