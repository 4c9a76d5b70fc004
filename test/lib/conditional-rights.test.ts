import { describe, expect, it } from 'vitest'
import { actionsOn, roleOf, type Statement, statementsOf } from '../templates/policies.ts'
import { deployedOperations, everyStage, pascal } from '../templates/templates.ts'

const operations = deployedOperations
const workflowSteps = ['start-query', 'await-query', 'publish-results', 'record-failure']

/** The condition of the only write to the access table. */
const noteOfLastUse = JSON.stringify({
  'ForAllValues:StringEquals': { 'dynamodb:Attributes': ['org_id', 'item', 'last_used_on'] },
})

/** True for the right of announce-loads to remove notes, and nothing else in the table. */
const isNoteOfLoad = ({ actions, condition }: Statement) =>
  actions.join() === 'dynamodb:DeleteItem' &&
  JSON.stringify(condition) ===
    JSON.stringify({ 'ForAllValues:StringEquals': { 'dynamodb:LeadingKeys': ['unannounced-loads'] } })

describe.each(everyStage)('in the stage "%s"', (_, synthesised) => {
  const rightsOf = (operation: string) => {
    const { service } = synthesised()
    return statementsOf(service, roleOf(service, pascal(operation)))
  }

  it('lets functions write only the day of a key’s last use and the notes of unannounced loads to tables of operators', () => {
    const reading = ['dynamodb:BatchGetItem', 'dynamodb:GetItem', 'dynamodb:Query', 'dynamodb:Scan']
    for (const operation of operations) {
      const tables = /^<Tables(Access|FeeSchedules|Contents)[0-9A-F]{8}\.Arn>/
      const statements = rightsOf(operation)
      const lastUse = statements.filter(({ condition }) => JSON.stringify(condition) === noteOfLastUse)
      expect(lastUse.flatMap(({ actions }) => actions).filter((action) => action !== 'dynamodb:UpdateItem')).toEqual([])
      const others = statements.filter((statement) => !lastUse.includes(statement) && !isNoteOfLoad(statement))
      expect(actionsOn(others, tables).filter((action) => !reading.includes(action))).toEqual([])
    }
  })

  it('lets only announce-loads and functions that end or delete searches send events, each of one type, to the default bus', () => {
    const sending = operations.filter((operation) =>
      rightsOf(operation).some(({ actions }) => actions.includes('events:PutEvents')),
    )
    const otherSenders = ['announce-loads', 'cancel-search', 'delete-search', 'sweep-searches']
    expect(sending.sort()).toEqual([...workflowSteps, ...otherSenders].sort())
    for (const operation of sending) {
      const [statement, ...others] = rightsOf(operation).filter(({ actions }) => actions.includes('events:PutEvents'))
      expect([statement?.actions, others]).toEqual([['events:PutEvents'], []])
      expect(statement?.resources.join()).toMatch(/:event-bus\/default$/)
      expect(statement?.condition).toEqual({
        StringEquals: {
          'events:source': expect.stringMatching(/^rate-search\.[\w-]+$/),
          'events:detail-type': operation === 'announce-loads' ? 'Fee Schedules Updated' : 'Search Ended',
        },
      })
    }
  })
})
