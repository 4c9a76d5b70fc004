import { describe, expect, it } from 'vitest'
import { describeSettingsChanges } from '../../../lib/protections/settings-changes.ts'
import { readAssembly } from '../../../lib/protections/stage-template.ts'
import { defaultStage, dev } from '../../templates/templates.ts'

describe('the settings that a deploy changes', () => {
  it('appear by their paths, with both values', () => {
    const before = { ...defaultStage, limits: { searches: 20, perMinute: 60 }, alarmTargets: ['oncall@example.com'] }
    const after = { ...defaultStage, limits: { searches: 50, perMinute: 60 }, alarmTargets: [], ratesBucket: 'rates' }
    expect(describeSettingsChanges(before, after)).toEqual([
      'limits.searches  20 -> 50',
      'alarmTargets     ["oncall@example.com"] -> []',
      'ratesBucket      none -> "rates"',
    ])
  })

  it('do not exist if a stage is deployed again with the settings that its template notes', () => {
    const { settings } = readAssembly(dev().folder)
    expect(settings).toMatchObject({ name: 'dev', retentionDays: 7 })
    expect(describeSettingsChanges(settings, JSON.parse(JSON.stringify(defaultStage)))).toEqual([])
  })
})
