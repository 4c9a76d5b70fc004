import * as v from 'valibot'
import { maxStatementBytes, writeLimit } from '../limits.ts'
import { fault } from './error.ts'
import { namedFeeSchedule } from './fee-schedules.ts'
import { appliedSummary } from './summaries.ts'
import { count, describeObject, describeValue } from './values.ts'

export const estimatedFeeSchedule = describeObject('A fee schedule of the request.', {
  payer: describeValue(v.string(), 'Name of the payer, normalised.', 'Blue Harbor Health'),
  plan: describeValue(v.string(), 'Name of the plan, normalised.', 'Harbor PPO Golden'),
  exists: describeValue(v.boolean(), 'True if this fee schedule can be searched.', false),
  nearest: v.pipe(
    v.array(namedFeeSchedule),
    v.description(
      'Fee schedules that may have been meant if this one cannot be searched, the nearest first: plans with similar names, or the variants of a plan whose name alone is ambiguous. Looked up for the first ten; at most ten each.',
    ),
  ),
})

export const estimate = describeObject('The files and bytes that a search would read. Nothing is started.', {
  fee_schedules: v.pipe(v.array(estimatedFeeSchedule), v.description('Every fee schedule of the request.')),
  files: describeValue(
    v.nullable(count),
    'Number of distinct published files that the search would read, with that of NPPES if it is loaded; 0 if it would fail, as `exists` or `warnings` say; null over an own relation of the operator, or if its fee schedules have more than 100,000 files together.',
    1,
  ),
  bytes: describeValue(
    v.nullable(count),
    'The most bytes that the search would read in the warehouse: all of the prices, provider groups and lists of its fee schedules, and as much of NPPES as it needs. A summary reads the terms of prices three times, which this counts once. It is null if `files` is, or if one was loaded before sizes were recorded.',
    1_204_533,
  ),
  own_relation: v.exactOptional(
    describeValue(
      v.boolean(),
      'True over an own relation of the operator, whose size nobody knows; absent over loaded rates.',
      true,
    ),
  ),
  summary: v.exactOptional(appliedSummary),
  statement_bytes: describeValue(
    count,
    `Size of its query in bytes, at most; a search of more than ${writeLimit(maxStatementBytes)} is refused.`,
    1_420,
  ),
  warnings: v.pipe(
    v.array(fault),
    v.description(
      'Values that are allowed but look wrong: NPIs with a wrong check digit, and fee schedules that were loaded only in another part.',
    ),
  ),
})
