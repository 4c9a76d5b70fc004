import * as v from 'valibot'
import { feeSchedulePages, maxNameLength } from '../limits.ts'
import { describeValue, nameText, nextCursor } from './values.ts'

export const payer = describeValue(
  nameText,
  `Name of the payer, as \`GET /v1/fee-schedules\` lists it: 1 to ${maxNameLength} code points in Unicode NFC, without control characters and characters that nobody sees. White space at both ends is ignored, and a run of it is one space.`,
  'Blue Harbor Health',
)

export const plan = describeValue(
  nameText,
  "Name of one of the payer's plans, under the same rules as the payer's.",
  'Harbor PPO Gold',
)

/** A payer and one of its plans in a request. */
export const feeSchedule = v.pipe(v.strictObject({ payer, plan }), v.description('A payer and one of its plans.'))

/** A payer and one of its plans in an answer. */
export const namedFeeSchedule = v.pipe(
  v.object({
    payer: describeValue(v.string(), 'Name of the payer.', 'Blue Harbor Health'),
    plan: describeValue(v.string(), 'Name of the plan.', 'Harbor PPO Gold'),
  }),
  v.description('A payer and one of its plans.'),
)

export const lastUpdatedOn = describeValue(
  v.nullable(v.pipe(v.string(), v.isoDate())),
  'Date of the newest published file (`YYYY-MM-DD`); null if no file has one, or in a manifest if that is not known.',
  '2026-11-01',
)

export const catalogueEntry = v.pipe(
  v.object({
    payer: describeValue(v.string(), 'Name of the payer, as a search takes it.', 'Blue Harbor Health'),
    plan: describeValue(v.string(), 'Name of the plan, as a search takes it.', 'Harbor PPO Gold'),
    plan_ids: describeValue(
      v.array(v.string()),
      'The plan ids of this fee schedule, `ein|…` or `hios|…`, sorted, with their leading zeros; empty if there are none or more than 32.',
      ['ein|041234567'],
    ),
    plan_id_count: describeValue(
      v.pipe(v.number(), v.integer(), v.minValue(0)),
      'How many plan ids the fee schedule has.',
      1,
    ),
    last_updated_on: lastUpdatedOn,
    partial: describeValue(
      v.boolean(),
      'True if some of the files that the payer lists for this plan were missing when it was loaded.',
      false,
    ),
  }),
  v.description('A fee schedule that can be searched.'),
)

export const feeSchedulesPage = v.pipe(
  v.object({
    fee_schedules: v.pipe(
      v.array(catalogueEntry),
      v.description('One page; the plans of a payer come together, ordered by plan.'),
    ),
    next_cursor: nextCursor,
  }),
  v.description('One page of the fee schedules that can be searched.'),
)

/** Page size: the range, and the default. */
export const feeSchedulesLimit = describeValue(
  v.pipe(
    v.number(),
    v.integer(),
    v.minValue(1),
    v.maxValue(feeSchedulePages.max),
    v.metadata({ default: feeSchedulePages.default }),
  ),
  'How many fee schedules a page has at most.',
  2,
)

/** Prefix of a payer or plan, for completion. */
export const namePrefix = describeValue(
  nameText,
  'Only fee schedules whose payer or plan begins with this text, in upper or lower case; with `payer`, only those of its plans that do. The same rules as for names apply.',
  'Harbor',
)
