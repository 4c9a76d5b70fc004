import { expect, test } from 'vitest'
import { type Coverage, findUncovered, type ShownCase } from './coverage.ts'
import type { Fault } from './proxy/fault.ts'

const read = 'start-query dynamodb:BatchGetItem job'
const write = 'start-query dynamodb:UpdateItem to processing'

const plain = (...calls: readonly string[]): ShownCase => ({
  fault: undefined,
  record: { hits: new Map(), calls: new Map(calls.map((call) => [call, call])) },
})

const struck = (call: string, fault: Fault, hits = 1): ShownCase => ({
  fault: { call, fault },
  record: { hits: new Map(hits === 0 ? [] : [[0, hits]]), calls: new Map([[call, call]]) },
})

const right = (role: string, action: string) => ({ role, action, resources: ['*'] })

/** Two calls and two faults: the write meets both, and the read the only one that applies to it. */
const whole: Coverage = {
  rows: [
    { call: read, isConditional: false },
    { call: write, isConditional: true },
  ],
  columns: ['late', 'conditional'],
  cases: [plain(read, write), struck(read, 'late'), struck(write, 'late'), struck(write, 'conditional')],
  rights: [right('StartQueryRole0123ABCD', 'dynamodb:BatchGetItem')],
}

test('a table is complete if every call has met every fault that applies to it', () => {
  expect(findUncovered(whole)).toEqual([])
})

test.each(whole.cases.slice(1))('a table without the case of $fault is incomplete', (left) => {
  const cases = whole.cases.filter((each) => each !== left)
  expect(findUncovered({ ...whole, cases })).toEqual([`${left.fault?.call} has not met: ${left.fault?.fault}`])
})

test('a planned fault that never hit is reported', () => {
  const cases = [plain(read, write), struck(read, 'late', 0), ...whole.cases.slice(2)]
  expect(findUncovered({ ...whole, cases })).toEqual([`${read} has not met: late`])
})

test('a call without a row is reported', () => {
  const call = 'get-search dynamodb:GetItem'
  expect(findUncovered({ ...whole, cases: [...whole.cases, plain(call)] })).toEqual([`${call} is made, but has no row`])
})

test('a call that a role allows but no case makes is reported, unless it has a reason', () => {
  const rights = [
    right('RecordFailureRole0123ABCD', 'athena:StopQueryExecution'),
    right('StartQueryRole0123ABCD', 'glue:GetTable'),
  ]
  expect(findUncovered({ ...whole, rights })).toEqual([
    'record-failure athena:StopQueryExecution is allowed, but no case makes it',
  ])
})

test('calls that delete and list objects use the rights of those names in policies', () => {
  const calls = ['delete-search s3:ListObjectsV2', 'delete-search s3:DeleteObjects']
  const rows = calls.map((call) => ({ call, isConditional: false }))
  const rights = ['s3:ListBucket', 's3:DeleteObject'].map((action) => right('DeleteSearchRole0123ABCD', action))
  expect(findUncovered({ rows, columns: [], cases: [plain(...calls)], rights })).toEqual([])
})
