import { describe, expect, it } from 'vitest'
import { nameCommands } from '../../../bin/command/package.ts'

describe('a command that a text proposes', () => {
  it.each([
    ['npm start -- --data x', 'npx rate-search-service start --data x'],
    ['see npm start', 'see npx rate-search-service start'],
    ['npm run keys -- list', 'npx rate-search-service keys list'],
    ['run the same npm run load again', 'run the same npx rate-search-service load again'],
    ['`npm run fee-schedules -- clean`', '`npx rate-search-service fee-schedules clean`'],
    ['$(npm run --silent keys -- create)', '$(npx rate-search-service keys create)'],
    ['npm run rate-search --silent -- fee-schedules', 'npx rate-search fee-schedules'],
    ['npm run search --silent -- --code 1', 'npx rate-search search --code 1'],
    ['npm run status; npm run logs', 'npx rate-search-service status; npx rate-search-service logs'],
  ])('is one of the package in the package: %s', (text, packaged) => {
    expect(nameCommands(text, true)).toBe(packaged)
    expect(nameCommands(text, false)).toBe(text)
  })

  it('stays if only a checkout has it', () => {
    const text = 'npm run deploy -- --stage dev; npm run destroy; npm ci'
    expect(nameCommands(text, true)).toBe(text)
  })

  it('is not one of the package in this checkout', () => {
    expect(nameCommands('npm run keys')).toBe('npm run keys')
  })
})
