import { describe, expect, it } from 'vitest'
import { statementsOf } from '../templates/policies.ts'
import {
  at,
  defaultStage,
  deployedOperations,
  dev,
  named,
  ofType,
  pascal,
  render,
  synthesise,
} from '../templates/templates.ts'

const { service } = synthesise({ ...defaultStage, tracing: true })
const rights = ['xray:PutTelemetryRecords', 'xray:PutTraceSegments']

describe('a stage with tracing', () => {
  it('traces the API, the workflow of searches and each function', () => {
    for (const { properties } of ofType(service, 'AWS::ApiGateway::Stage'))
      expect(properties).toMatchObject({ TracingEnabled: true })
    const machine = named(service, 'AWS::StepFunctions::StateMachine', 'WorkflowMachine')
    expect(machine.properties).toMatchObject({ TracingConfiguration: { Enabled: true } })
    for (const operation of deployedOperations)
      expect(named(service, 'AWS::Lambda::Function', pascal(operation)).properties).toMatchObject({
        TracingConfig: { Mode: 'Active' },
      })
  })

  it('lets each function send its part of a trace, and gives it no other right of X-Ray', () => {
    for (const operation of deployedOperations) {
      const { properties } = named(service, 'AWS::Lambda::Function', pascal(operation))
      const role = render(at(properties, 'Role')).replace(/^<(.*)\.Arn>$/, '$1')
      const tracing = statementsOf(service, role).filter(({ actions }) =>
        actions.some((action) => action.startsWith('xray:')),
      )
      expect(tracing.flatMap(({ actions }) => actions).toSorted()).toEqual(rights)
    }
  })
})

describe('a stage without tracing', () => {
  it('traces nothing, and gives no role a right of X-Ray', () => {
    const text = JSON.stringify(dev().service)
    expect(text).not.toMatch(/xray:|"Tracing/)
  })
})
