import { expect, test } from 'vitest'
import type { Coverage, ShownCase } from './coverage.ts'
import { findUncovered } from './coverage.ts'
import type { Fault } from './fault.ts'

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

/** Two calls and two faults: the write meets both, the read the one that it can meet. */
const whole: Coverage = {
  rows: [
    { call: read, isConditional: false },
    { call: write, isConditional: true },
  ],
  columns: ['late', 'conditional'],
  cases: [plain(read, write), struck(read, 'late'), struck(write, 'late'), struck(write, 'conditional')],
  rights: [right('StartQueryRole0123ABCD', 'dynamodb:BatchGetItem')],
}

test('a table is whole where every call has met every fault that it can meet', () => {
  expect(findUncovered(whole)).toEqual([])
})

test.each(whole.cases.slice(1))('a table without the case of $fault is not whole', (left) => {
  const cases = whole.cases.filter((each) => each !== left)
  expect(findUncovered({ ...whole, cases })).toEqual([`${left.fault?.call} has not met: ${left.fault?.fault}`])
})

test('a fault that waited and never hit is told', () => {
  const cases = [plain(read, write), struck(read, 'late', 0), ...whole.cases.slice(2)]
  expect(findUncovered({ ...whole, cases })).toEqual([`${read} has not met: late`])
})

test('a call that no row has is told', () => {
  const call = 'get-search dynamodb:GetItem'
  expect(findUncovered({ ...whole, cases: [...whole.cases, plain(call)] })).toEqual([`${call} is made, and in no row`])
})

test('a call that a role allows and no case makes is told, but for those with a reason', () => {
  const rights = [
    right('RecordFailureRole0123ABCD', 'athena:StopQueryExecution'),
    right('StartQueryRole0123ABCD', 'glue:GetTable'),
  ]
  expect(findUncovered({ ...whole, rights })).toEqual([
    'record-failure athena:StopQueryExecution is allowed, and no case makes it',
  ])
})

test('deleting and listing objects are known under the names of their rights', () => {
  const calls = ['delete-search s3:ListObjectsV2', 'delete-search s3:DeleteObjects']
  const rows = calls.map((call) => ({ call, isConditional: false }))
  const rights = ['s3:ListBucket', 's3:DeleteObject'].map((action) => right('DeleteSearchRole0123ABCD', action))
  expect(findUncovered({ rows, columns: [], cases: [plain(...calls)], rights })).toEqual([])
})
