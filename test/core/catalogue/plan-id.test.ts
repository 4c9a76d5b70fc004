import { describe, expect, it } from 'vitest'
import {
  findPlanIdFault,
  findPublishedNameFault,
  formatPlanId,
  nameVariant,
  readPlanId,
  readSearchedPlanId,
  showPlanIds,
} from '../../../core/catalogue/plan-id.ts'

describe('a published plan id', () => {
  it.each([
    ['222222222', undefined, 'ein|222222222'],
    ['22-2222222', '', 'ein|222222222'],
    ['1234567', 'EIN', 'ein|001234567'],
    ['1234567890', 'ein', 'ein|1234567890'],
    ['12345678X', 'ein', 'ein|12345678X'],
    ['X12345678', ' EIN ', 'ein|X12345678'],
    ['X123456789', undefined, 'hios|X123456789'],
    ['123456789X', undefined, 'hios|123456789X'],
    ['0123456789', undefined, 'hios|0123456789'],
    ['12345 az 001', 'HIOS', 'hios|12345AZ001'],
    ['12345', 'hios', 'hios|12345'],
    ['12345', 'internal', 'id|12345'],
    ['222222222', 'internal', 'id|222222222'],
  ])('%j of the type %j is %j', (id, type, expected) => {
    const planId = readPlanId(id, type)
    expect(planId && formatPlanId(planId)).toBe(expected)
  })

  it.each([undefined, '', ' - '])('%j is none', (id) => {
    expect(readPlanId(id, 'ein')).toBeUndefined()
  })

  it.each(['1', 'A', '12345AZ001', 'a.b_c/d|e#f*', 'É'.repeat(40)])('%j can be part of a name', (value) => {
    expect(findPlanIdFault({ type: 'id', value })).toBeUndefined()
  })

  it.each(['', '(1)', '1)', '(1', 'a"', 'A'.repeat(41)])('%j cannot be part of a name', (value) => {
    expect(findPlanIdFault({ type: 'id', value })).toBe('has characters that no plan id has, or more than 40')
  })
})

describe('a plan id of a request', () => {
  it.each([
    ['12-3456789', '123456789'],
    [' 12 3456789 ', '123456789'],
    ['ein|12-3456789', 'ein|123456789'],
    ['EIN 12-3456789', 'ein|123456789'],
    ['EIN 3456789', 'ein|003456789'],
    ['hios 12345NY0010001', 'hios|12345NY0010001'],
    ['3456789', '003456789'],
    ['1-2345678', '012345678'],
    ['12345', '12345'],
    ['hios|3456789', 'hios|3456789'],
    ['einstein 1', 'EINSTEIN1'],
    ['EIN', 'EIN'],
  ])('%j is %j', (text, expected) => {
    expect(readSearchedPlanId(text)).toBe(expected)
  })
})

describe('the names of a plan', () => {
  it('end with the plan id that tells them apart', () => {
    expect(nameVariant('PPO', { type: 'ein', value: '222222222' })).toBe('PPO (EIN 222222222)')
    expect(nameVariant('PPO', { type: 'hios', value: '12345' })).toBe('PPO (HIOS 12345)')
    expect(nameVariant('PPO', undefined)).toBe('PPO (no plan id)')
  })

  it.each(['PPO (EIN 222222222)', 'PPO (hios 1)', 'PPO (ID 1 2)', 'PPO (EIN )', 'PPO (No Plan ID)'])(
    'cannot be published as %j, which looks like one with a plan id',
    (plan) => {
      expect(findPublishedNameFault(plan)).toMatch(/^must not end like a name with a plan id, such as "PPO \(EIN/)
    },
  )

  it.each(['PPO', 'PPO (EIN 222222222) Gold', 'PPO (no plan id) Gold', 'PPO (Gold)', 'PPO (EIN (1))', 'PPO(EIN 1)'])(
    'can be published as %j',
    (plan) => {
      expect(findPublishedNameFault(plan)).toBeUndefined()
    },
  )

  it('allow at most 180 characters, however many code units those have', () => {
    expect(findPublishedNameFault('💊'.repeat(180))).toBeUndefined()
    expect(findPublishedNameFault('a'.repeat(181))).toBe('must have at most 180 characters, not 181')
  })
})

describe('the plan ids of a row', () => {
  it('leaves out more than 32 ids, and counts them', () => {
    const ids = Array.from({ length: 33 }, (_, index) => `ein|${100_000_000 + index}`)
    expect(showPlanIds(ids.slice(1))).toEqual({ planIds: ids.slice(1), planIdCount: 32 })
    expect(showPlanIds(ids)).toEqual({ planIds: [], planIdCount: 33 })
  })
})
