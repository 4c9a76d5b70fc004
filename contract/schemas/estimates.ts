import * as v from 'valibot'
import { fault } from './error.ts'
import { namedFeeSchedule } from './fee-schedules.ts'
import { count, describeValue } from './values.ts'

export const estimatedFeeSchedule = v.pipe(
  v.object({
    payer: describeValue(v.string(), 'Name of the payer, normalised.', 'Blue Harbor Health'),
    plan: describeValue(v.string(), 'Name of the plan, normalised.', 'Harbor PPO Golden'),
    exists: describeValue(v.boolean(), 'Whether this fee schedule can be searched.', false),
    nearest: v.pipe(
      v.array(namedFeeSchedule),
      v.description('Fee schedules with the nearest names, the nearest first; empty if this one exists.'),
    ),
  }),
  v.description('A fee schedule of the request.'),
)

export const estimate = v.pipe(
  v.object({
    fee_schedules: v.pipe(v.array(estimatedFeeSchedule), v.description('Every fee schedule of the request.')),
    files: describeValue(
      v.nullable(count),
      'How many distinct files the search would read; null over an own relation of the operator.',
      1,
    ),
    bytes: describeValue(
      v.nullable(count),
      'How many bytes it would read at most; null over an own relation of the operator.',
      1_204_533,
    ),
    statement_bytes: describeValue(count, 'Size of its query, in bytes; at most 262,144 can run.', 1_420),
    warnings: v.pipe(
      v.array(fault),
      v.description('What is allowed and looks wrong, such as NPIs with a wrong check digit.'),
    ),
  }),
  v.description('What a search would read. Nothing is started.'),
)
