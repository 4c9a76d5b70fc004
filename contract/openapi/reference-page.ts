import { describeType, nameOf } from './describe-type.ts'
import { type Html, html, nothing, renderLine, renderText } from './html.ts'
import type {
  Content,
  HeaderObject,
  OpenApiDocument,
  OperationObject,
  Reference,
  ResponseObject,
  SchemaObject,
} from './openapi-document.ts'

interface PlacedOperation {
  readonly method: string
  readonly path: string
  readonly operation: OperationObject
}

/**
 * Renders the reference page of an API: one HTML document without scripts or inline styles. Its links are relative:
 * `docs.css` is its style sheet, `openapi.json` its source.
 */
export function renderReferencePage(document: OpenApiDocument): string {
  const { info, servers, components, paths } = document
  const baseUrl = servers[0]?.url ?? ''
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  )
  const schemas = Object.entries(components.schemas)
  return html`<!doctype html>
<html lang="en" class="notranslate" translate="no">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="google" content="notranslate">
<title>${info.title}: API reference</title>
<link rel="stylesheet" href="docs.css">
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header>
<h1>${info.title}: API reference</h1>
<p>${info.summary} Version ${info.version}, at <code>${baseUrl}</code>. Also as an
<a href="openapi.json">OpenAPI document</a>, from which clients can be generated.</p>
</header>
<nav aria-label="Contents">
<ul>
<li><a href="#overview">Overview</a></li>
<li><a href="#calls">Calls</a>
<ul>
${operations.map(({ operation }) => html`<li><a href="#${operation.operationId}">${operation.summary}</a></li>\n`)}</ul></li>
<li><a href="#errors">Errors</a></li>
<li><a href="#schemas">Schemas</a>
<ul>
${schemas.map(([name]) => html`<li><a href="#${name}">${name}</a></li>\n`)}</ul></li>
</ul>
</nav>
<main id="content" tabindex="-1">
<section aria-labelledby="overview">
<h2 id="overview">Overview</h2>
${renderText(info.description)}<h3 id="authentication">Authentication</h3>
${Object.values(components.securitySchemes).map(({ description = '' }) => renderText(description))}<h3 id="headers">Headers of every answer</h3>
${renderHeaders(components.headers, document)}</section>
<section aria-labelledby="calls">
<h2 id="calls">Calls</h2>
${operations.map((each) => renderOperation(each, document))}</section>
<section aria-labelledby="errors">
<h2 id="errors">Errors</h2>
${Object.entries(components.responses).map(([name, response]) => renderError(name, response, document))}</section>
<section aria-labelledby="schemas">
<h2 id="schemas">Schemas</h2>
${schemas.map(([name, schema]) => html`<h3 id="${name}">${name}</h3>\n${renderSchema(name, schema)}`)}</section>
</main>
</body>
</html>
`.text
}

function renderOperation({ method, path, operation }: PlacedOperation, document: OpenApiDocument): Html {
  const { operationId, summary, description, parameters = [], requestBody, responses } = operation
  const fields = parameters.map(({ name, in: location, required, description, schema }) =>
    renderRow(
      name,
      html`${describeType(schema)}, in the ${location}${required ? '' : ', optional'}`,
      description,
      schema,
    ),
  )
  return html`<section aria-labelledby="${operationId}">
<h3 id="${operationId}">${summary}</h3>
<p class="call"><strong>${method}</strong> <code>${path}</code></p>
${renderText(description)}${fields.length > 0 ? html`<h4>Parameters</h4>\n${renderTable(`Parameters of: ${summary}`, 'Name', fields)}` : nothing}${requestBody ? html`<h4>Body</h4>\n${renderContent(requestBody.content)}` : nothing}<h4>Try it</h4>
<pre><code>${writeCurl({ method, path, operation }, document)}</code></pre>
<h4>Answers</h4>
${Object.entries(responses).map(([status, response]) => renderResponse(status, response, document))}</section>
`
}

function renderResponse(status: string, response: ResponseObject | Reference, document: OpenApiDocument): Html {
  if ('$ref' in response) {
    const name = nameOf(response.$ref)
    const { description } = document.components.responses[name] ?? { description: '' }
    return html`<p><strong>${status}</strong> <a href="#${name}">${name}</a>: ${renderLine(description)}</p>\n`
  }
  const headers = findSpecialHeaders(response, document)
  return html`<p><strong>${status}</strong> ${renderLine(response.description)}</p>
${Object.keys(headers).length > 0 ? renderHeaders(headers, document) : nothing}${response.content ? renderContent(response.content) : nothing}`
}

function renderError(name: string, response: ResponseObject, document: OpenApiDocument): Html {
  const headers = findSpecialHeaders(response, document)
  return html`<h3 id="${name}">${name}</h3>
${renderText(response.description)}${Object.keys(headers).length > 0 ? renderHeaders(headers, document) : nothing}${response.content ? renderContent(response.content) : nothing}`
}

/** Returns the headers that this answer has in addition to those of every answer. */
function findSpecialHeaders({ headers }: ResponseObject, { components }: OpenApiDocument) {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !(name in components.headers)))
}

function renderHeaders(
  headers: Readonly<Record<string, HeaderObject | Reference>>,
  { components }: OpenApiDocument,
): Html {
  const rows = Object.entries(headers).flatMap(([name, header]) => {
    const definition = '$ref' in header ? components.headers[nameOf(header.$ref)] : header
    if (definition === undefined) return []
    const { required = false, schema, description } = definition
    return [renderRow(name, html`${describeType(schema)}${required ? '' : ', not always'}`, description, schema)]
  })
  return renderTable('Headers', 'Header', rows)
}

function renderContent({ 'application/json': { schema, examples = {} } }: Content): Html {
  return html`<p>JSON: ${describeType(schema)}</p>
${Object.values(examples).map(
  ({ summary, value }) => html`<figure>
<figcaption>${summary}</figcaption>
<pre><code>${JSON.stringify(value, null, 2)}</code></pre>
</figure>
`,
)}`
}

function renderSchema(name: string, schema: SchemaObject): Html {
  const { description = '', properties, required = [], oneOf, additionalProperties } = schema
  const rows = Object.entries(properties ?? {}).map(([field, each]) =>
    renderRow(
      field,
      html`${describeType(each)}${required.includes(field) ? '' : ', optional'}`,
      each.description ?? '',
      each,
    ),
  )
  return html`${renderText(description)}${oneOf ? html`<p>One of: ${describeType(schema)}</p>\n` : nothing}${
    rows.length > 0 ? renderTable(`Fields of ${name}`, 'Field', rows) : nothing
  }${additionalProperties === false ? html`<p>No other fields are allowed.</p>\n` : nothing}`
}

function renderTable(caption: string, first: string, rows: readonly Html[]): Html {
  return html`<table>
<caption>${caption}</caption>
<thead><tr><th scope="col">${first}</th><th scope="col">Meaning</th></tr></thead>
<tbody>
${rows}</tbody>
</table>
`
}

function renderRow(name: string, type: Html, description: string, schema: SchemaObject): Html {
  const [example] = schema.examples ?? []
  const facts = [
    ...(schema.default === undefined ? [] : [html` Default: <code>${JSON.stringify(schema.default)}</code>.`]),
    ...(example === undefined ? [] : [html` Example: <code>${JSON.stringify(example)}</code>`]),
  ]
  return html`<tr><th scope="row"><code>${name}</code></th><td><span class="type">${type}</span> ${renderLine(description)}${facts}</td></tr>\n`
}

/** Options that choose the method of a curl command. */
function methodOptions(method: string): string {
  if (method === 'GET') return ''
  return method === 'HEAD' ? '--head ' : `-X ${method} `
}

/** Writes the call as a curl command, with the first example as its body. */
function writeCurl({ method, path, operation }: PlacedOperation, { servers }: OpenApiDocument): string {
  const url = `${servers[0]?.url ?? ''}${path}`
  const [example] = Object.values(operation.requestBody?.content['application/json'].examples ?? {})
  const address = path.includes('{')
    ? `"${url.replace(/\{(\w+)\}/g, (_, name: string) => `$${name.toUpperCase()}`)}"`
    : url
  return [
    `curl -i ${methodOptions(method)}${address}`,
    ...(operation.security?.length === 0 ? [] : ['  -H "Authorization: Bearer $API_KEY"']),
    ...(example === undefined
      ? []
      : ["  -H 'Content-Type: application/json'", `  -d '${JSON.stringify(example.value)}'`]),
  ].join(' \\\n')
}
