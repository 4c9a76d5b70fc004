import { describe, expect, it } from 'vitest'
import { nameCommands } from '../../../bin/command/packaged-service.ts'

describe('a command that a text proposes', () => {
  it.each([
    ['npm start -- --data x', 'rate-search-service start --data x'],
    ['see npm start', 'see rate-search-service start'],
    ['npm run keys -- list', 'rate-search-service keys list'],
    ['run the same npm run load again', 'run the same rate-search-service load again'],
    ['`npm run fee-schedules -- clean`', '`rate-search-service fee-schedules clean`'],
    ['$(npm run --silent keys -- create)', '$(rate-search-service keys create)'],
    ['npm run rate-search --silent -- fee-schedules', 'rate-search fee-schedules'],
    ['npm run search --silent -- --code 1', 'rate-search search --code 1'],
    ['npm run status; npm run smoke', 'rate-search-service status; rate-search-service smoke'],
  ])('names a command of the package if the package runs: %s', (text, packaged) => {
    expect(nameCommands(text, true)).toBe(packaged)
    expect(nameCommands(text, false)).toBe(text)
  })

  it('stays the same if only a checkout has the command', () => {
    const text = 'npm run deploy -- --stage dev; npm run destroy; npm ci'
    expect(nameCommands(text, true)).toBe(text)
  })

  it('names an npm script in a checkout', () => {
    expect(nameCommands('npm run keys')).toBe('npm run keys')
  })
})
