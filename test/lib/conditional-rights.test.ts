import { describe, expect, it } from 'vitest'
import { actionsOn, roleOf, statementsOf } from '../templates/policies.ts'
import { deployedOperations, everyStage, pascal } from '../templates/templates.ts'

const operations = deployedOperations
const workflowSteps = ['start-query', 'await-query', 'publish-results', 'record-failure']

/** The condition of the one write to the access table. */
const noteOfLastUse = JSON.stringify({
  'ForAllValues:StringEquals': { 'dynamodb:Attributes': ['org_id', 'item', 'last_used_on'] },
})

describe.each(everyStage)('in the stage "%s"', (_, synthesised) => {
  const rightsOf = (operation: string) => {
    const { service } = synthesised()
    return statementsOf(service, roleOf(service, pascal(operation)))
  }

  it('no function can write keys, organizations or fee schedules, except the day of a key’s last use', () => {
    const reading = ['dynamodb:BatchGetItem', 'dynamodb:GetItem', 'dynamodb:Query', 'dynamodb:Scan']
    for (const operation of operations) {
      const tables = /^<Tables(Access|FeeSchedules|Contents)[0-9A-F]{8}\.Arn>/
      const statements = rightsOf(operation)
      const lastUse = statements.filter(({ condition }) => JSON.stringify(condition) === noteOfLastUse)
      expect(lastUse.flatMap(({ actions }) => actions).filter((action) => action !== 'dynamodb:UpdateItem')).toEqual([])
      const others = statements.filter((statement) => !lastUse.includes(statement))
      expect(actionsOn(others, tables).filter((action) => !reading.includes(action))).toEqual([])
    }
  })

  it('only functions that end or delete searches send events, only those of their stage, to the default bus', () => {
    const sending = operations.filter((operation) =>
      rightsOf(operation).some(({ actions }) => actions.includes('events:PutEvents')),
    )
    expect(sending.sort()).toEqual([...workflowSteps, 'cancel-search', 'delete-search', 'sweep-searches'].sort())
    for (const operation of sending) {
      const [statement, ...rest] = rightsOf(operation).filter(({ actions }) => actions.includes('events:PutEvents'))
      expect([statement?.actions, rest]).toEqual([['events:PutEvents'], []])
      expect(statement?.resources.join()).toMatch(/:event-bus\/default$/)
      expect(statement?.condition).toEqual({
        StringEquals: {
          'events:source': expect.stringMatching(/^rate-search\.[\w-]+$/),
          'events:detail-type': 'Search Ended',
        },
      })
    }
  })
})
