import * as v from 'valibot'
import { feeSchedulePages, marketTypes, maxNameLength } from '../limits.ts'
import { closedObject, either, isNot, isRecord } from './requests/request-schemas.ts'
import {
  count,
  describeObject,
  describeValue,
  nameText,
  nextCursor,
  pageSize,
  planIdText,
  wordRules,
} from './values.ts'

export const payer = describeValue(
  nameText,
  `Name of the payer, as \`GET /v1/fee-schedules\` lists it. 1 to ${maxNameLength} code points in Unicode NFC, without control characters and characters that nobody sees. White space at both ends is ignored, and a run of it is one space.`,
  'Blue Harbor Health',
)

export const plan = describeValue(
  nameText,
  "Name of one of the payer's plans, under the same rules as the payer's.",
  'Harbor PPO Gold',
)

const notFeeSchedule = isNot('must be an object with the strings payer and plan, or plan_id')

/** A payer and one of its plans in a request. */
export const feeSchedule = v.pipe(
  closedObject({ payer, plan }, { message: notFeeSchedule, known: ['payer', 'plan', 'plan_id'] }),
  v.description('A payer and one of its plans.'),
)

export const planId = describeValue(
  planIdText,
  'An EIN, with its hyphen or without, or a HIOS id; as lists have it (`ein|041234567`), only of that type.',
  '00-1234567',
)

/** All plans of an id in a request. */
export const plansOfId = v.pipe(
  closedObject(
    { plan_id: planId },
    {
      message: notFeeSchedule,
      others: {
        field: 'plan_id',
        refuse: (names) =>
          `takes the place of payer and plan: leave out ${names.map((name) => `\`${name}\``).join(', ')}`,
      },
    },
  ),
  v.description('Every fee schedule that has this plan id when the search begins: several plans may share an EIN.'),
)

/** The plans of an id, or a payer and one of its plans. */
export const requestedPlans = either(
  feeSchedule,
  plansOfId,
  (value) => isRecord(value) && value['plan_id'] !== undefined,
)

/** A payer and one of its plans in an answer. */
export const namedFeeSchedule = describeObject('A payer and one of its plans.', {
  payer: describeValue(v.string(), 'Name of the payer.', 'Blue Harbor Health'),
  plan: describeValue(v.string(), 'Name of the plan.', 'Harbor PPO Gold'),
})

export const askedPlansOfId = describeObject('Every fee schedule that has this plan id when the search begins.', {
  plan_id: describeValue(v.string(), 'The plan id, without hyphens and spaces.', '041234567'),
})

/** A fee schedule of a request, in an answer. */
export const askedFeeSchedule = v.pipe(
  v.union([namedFeeSchedule, askedPlansOfId]),
  v.description('The name of rates in a search: a payer and one of its plans, or a plan id.'),
)

export const lastUpdatedOn = describeValue(
  v.nullable(v.pipe(v.string(), v.isoDate())),
  'Date of the newest published file (`YYYY-MM-DD`); null if no file has one, or in a manifest if that is not known.',
  '2026-11-01',
)

const publishedFact = (what: string, example: string[]) =>
  describeValue(
    v.array(v.string()),
    `${what}, as published: sorted, at most 20; empty if no file says, or if it was loaded before this was recorded.`,
    example,
  )

export const catalogueEntry = describeObject('A fee schedule that can be searched.', {
  payer: describeValue(v.string(), 'Name of the payer, as a search takes it.', 'Blue Harbor Health'),
  plan: describeValue(v.string(), 'Name of the plan, as a search takes it.', 'Harbor PPO Gold'),
  plan_ids: describeValue(
    v.array(v.string()),
    'The plan ids of this fee schedule, `ein|…` or `hios|…`, sorted, with their leading zeros; empty if there are none or more than 32.',
    ['ein|041234567'],
  ),
  plan_id_count: describeValue(count, 'Number of plan ids that the fee schedule has.', 1),
  last_updated_on: lastUpdatedOn,
  partial: describeValue(
    v.boolean(),
    'True if some of the files that the payer lists for this plan were missing when it was loaded.',
    false,
  ),
  plan_sponsor_names: publishedFact('Names of the employers or others that sponsor it', ['Harbor Foods Inc.']),
  plan_market_types: publishedFact('Its markets in lower case, `group` or `individual`', ['group']),
  issuer_names: publishedFact('Its issuers', ['Blue Harbor Health']),
  network_names: publishedFact("The networks of its files' provider groups", ['Harbor PPO Network']),
  product_types: publishedFact('Its types of product', []),
  changed_on: describeValue(
    v.array(v.pipe(v.string(), v.isoDate())),
    'The days (UTC) on which what searches read of it changed, ascending, as far back as contents are kept; a search with `as_of` of the day before one reads what was replaced on it. Empty over an own relation.',
    ['2026-11-18'],
  ),
})

export const feeSchedulesPage = describeObject('One page of the fee schedules that can be searched.', {
  fee_schedules: v.pipe(
    v.array(catalogueEntry),
    v.description('One page; the plans of a payer come together, ordered by plan.'),
  ),
  provider_lists: describeValue(
    v.array(v.string()),
    'The lists of `providers` that a search can have: `states`, `zips` and `taxonomies` once the operator has loaded NPPES; over an own relation of the operator, those that it has columns for.',
    ['states', 'zips', 'taxonomies'],
  ),
  next_cursor: nextCursor,
})

export const feeSchedulesLimit = describeValue(
  pageSize(feeSchedulePages),
  'Maximum number of fee schedules in a page.',
  2,
)

/** Filters of the list, which combine. */
export const feeScheduleFilters = {
  q: describeValue(
    nameText,
    `Only fee schedules with all of these words in payer, plan, sponsors or plan ids, ${wordRules}. With \`payer\`, the words of the payer do not count. The same rules as for names apply.`,
    'harbor gold',
  ),
  plan_id: describeValue(
    planIdText,
    'Only fee schedules with this plan id, whatever else shares it: an EIN with its hyphen or without, or a HIOS id; as lists have it (`ein|041234567`), only of that type.',
    '00-1234567',
  ),
  sponsor: describeValue(
    nameText,
    'Only fee schedules with all of these words in one or several of their sponsors, read as `q` is.',
    'harbor foods',
  ),
  market: describeValue(v.picklist(marketTypes), 'Only fee schedules of this market type.', 'group'),
}
