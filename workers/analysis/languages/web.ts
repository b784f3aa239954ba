/** Markup, style sheets and page templates. */
import {
  cLike,
  css,
  double,
  javascript,
  longDouble,
  markup,
  markupComment,
  page,
  scss,
  single,
  slashStar,
  spacedHash,
} from './families.js';
import type { Language } from './language.js';

const mustache = [
  { open: '{{!--', close: '--}}' },
  { open: '{{!', close: '}}' },
];
const braceHash = { open: '{#', close: '#}' };
const jspComment = { open: '<%--', close: '--%>' };
const razor = {
  ...page,
  block: [markupComment, { open: '@*', close: '*@' }, slashStar],
  line: [{ mark: '//', place: 'indent' as const }],
};
/** A comment that takes along what is indented below it. */
const indented = { place: 'indent', indented: true } as const;
const jinja = { block: [markupComment, braceHash] };

/** The rows. */
export const web: readonly Language[] = [
  { name: 'HTML', extensions: 'html htm xht xhtml hta html.hl', syntax: page },
  {
    name: 'Vue',
    extensions: 'vue',
    // A template is a component's own markup unless its `lang` says otherwise; further templates stand within it.
    syntax: { ...page, elements: [...(page.elements ?? []), { tag: 'template', place: 'column0' }] },
  },
  { name: 'Svelte', extensions: 'svelte', syntax: page },
  {
    name: 'Astro',
    extensions: 'astro',
    syntax: {
      ...page,
      block: [markupComment, slashStar],
      codeBlocks: [{ mark: '-', place: 'start', label: 'typescript' }],
    },
  },
  {
    name: 'XML',
    extensions:
      'xml xsd wsdl xul rdf rss atom opf xmi plist storyboard xib nuspec resx config props targets ui uxml fxml tld svg vcxproj filters vbproj fsproj sqlproj ccproj dita ditamap kml gpx jelly xaml axaml glade qrc xlf xliff tmx gml.xml odx',
    filenames: '.classpath .project phpunit.xml.dist',
    syntax: markup,
  },
  { name: 'XSLT', extensions: 'xsl xslt', syntax: markup },
  { name: 'MSBuild', extensions: 'csproj proj wixproj shproj msbuild', filenames: 'NuGet.Config', syntax: markup },
  { name: 'Qt Linguist', syntax: markup },
  { name: 'CSS', extensions: 'css wxss', syntax: css },
  { name: 'SCSS', extensions: 'scss', syntax: scss },
  { name: 'Sass', extensions: 'sass', syntax: scss },
  { name: 'Less', extensions: 'less', syntax: scss },
  { name: 'PostCSS', extensions: 'pcss postcss sss', syntax: scss },
  { name: 'Stylus', extensions: 'styl', syntax: scss },
  { name: 'ASP', extensions: 'asp asa', syntax: { block: [markupComment], line: [{ mark: "'", place: 'indent' }] } },
  {
    name: 'ASP.NET',
    extensions: 'aspx ascx asax ashx asmx master sitemap webinfo',
    syntax: { ...page, block: [markupComment, jspComment] },
  },
  { name: 'Razor', extensions: 'cshtml razor', syntax: razor },
  {
    name: 'Razor in Visual Basic',
    extensions: 'vbhtml',
    syntax: { ...page, block: [markupComment, { open: '@*', close: '*@' }], line: [{ mark: "'", place: 'indent' }] },
  },
  { name: 'JSP', extensions: 'jsp jspf jspx tag', syntax: { ...page, block: [markupComment, jspComment, slashStar] } },
  {
    name: 'ERB',
    extensions: 'erb rhtml html.erb ecr',
    syntax: { ...page, block: [markupComment, { open: '<%#', close: '%>' }, { open: '<% #', close: '%>' }] },
  },
  {
    name: 'EJS',
    extensions: 'ejs',
    syntax: { ...page, block: [markupComment, { open: '<%#', close: '%>' }, { open: '<% #', close: '%>' }] },
  },
  {
    name: 'HTML EEx',
    extensions: 'eex heex leex html.eex html.heex',
    syntax: {
      ...page,
      block: [
        markupComment,
        { open: '<%!--', close: '--%>' },
        { open: '<%#', close: '%>' },
        { open: '<% #', close: '%>' },
      ],
    },
  },
  {
    name: 'Blade',
    extensions: 'blade.php blade',
    syntax: { ...page, block: [markupComment, { open: '{{--', close: '--}}' }] },
  },
  { name: 'Twig', extensions: 'twig', syntax: jinja },
  { name: 'Jinja', extensions: 'j2 jinja jinja2 njk nunjucks nj', syntax: jinja },
  { name: 'Tera', extensions: 'tera', syntax: jinja },
  {
    name: 'Liquid',
    extensions: 'liquid',
    syntax: {
      ...page,
      block: [
        markupComment,
        { open: '{% comment %}', close: '{% endcomment %}' },
        { open: '{%- comment -%}', close: '{%- endcomment -%}' },
      ],
    },
  },
  { name: 'Handlebars', extensions: 'hbs handlebars', syntax: { ...page, block: [...mustache, markupComment] } },
  { name: 'Mustache', extensions: 'mustache', syntax: { ...page, block: [...mustache, markupComment] } },
  { name: 'Dust', extensions: 'dust', syntax: { block: [markupComment, { open: '{!', close: '!}' }] } },
  {
    name: 'FreeMarker',
    extensions: 'ftl ftlh ftlx',
    syntax: { block: [{ open: '<#--', close: '-->' }, markupComment] },
  },
  {
    name: 'Velocity',
    extensions: 'vm vtl',
    syntax: { line: ['##'], block: [{ open: '#*', close: '*#' }, markupComment] },
  },
  { name: 'Smarty', extensions: 'tpl', syntax: { block: [{ open: '{*', close: '*}' }, markupComment] } },
  {
    name: 'Go Template',
    extensions: 'gohtml tmpl gotmpl go.tmpl html.tmpl',
    syntax: { ...page, block: [markupComment, { open: '{{/*', close: '*/}}' }, { open: '{{- /*', close: '*/ -}}' }] },
  },
  {
    name: 'templ',
    extensions: 'templ',
    syntax: { ...cLike, block: [slashStar, markupComment], text: [{ open: '`', close: '`', multiline: true }, double] },
  },
  {
    name: 'ColdFusion',
    extensions: 'cfm cfml',
    syntax: { block: [{ open: '<!---', close: '--->', nests: true }, markupComment] },
  },
  { name: 'CFScript', extensions: 'cfc', syntax: { ...cLike, block: [slashStar, { open: '<!---', close: '--->' }] } },
  {
    name: 'ECPP',
    extensions: 'ecpp',
    syntax: {
      ...page,
      block: [markupComment, { open: '<#', close: '#>' }, { open: '<%doc>', close: '</%doc>' }, slashStar],
      line: [{ mark: '//', place: 'indent' }],
    },
  },
  { name: 'Pug', extensions: 'pug jade', syntax: { line: [{ mark: '//', ...indented }] } },
  { name: 'Slim', extensions: 'slim', syntax: { line: [{ mark: '/', ...indented }] } },
  {
    name: 'Haml',
    extensions: 'haml',
    syntax: {
      // Behind a condition, as in `/[if IE]`, stands markup that a browser may read.
      line: [
        { mark: '-#', ...indented },
        { mark: '/', place: 'alone', indented: true },
        { mark: '/', place: 'indent' },
      ],
    },
  },
  { name: 'DIET', extensions: 'dt', syntax: { line: [{ mark: '//', ...indented }] } },
  { name: 'QSS', extensions: 'qss', syntax: css },
  {
    name: 'Markdown',
    extensions: 'md markdown mdown mkd mkdn mdwn mdx ronn livemd',
    filenames: 'contents.lr',
    syntax: { codeBlocks: [{ mark: '`' }, { mark: '~' }] },
  },
  { name: 'reStructuredText', extensions: 'rst rest rest.txt' },
  {
    name: 'AsciiDoc',
    extensions: 'adoc asciidoc asc',
    syntax: {
      line: [{ mark: '//', place: 'column0', notBefore: '/' }],
      block: [{ open: '////', close: '////', place: 'column0', closePlace: 'column0' }],
    },
  },
  {
    name: 'Org',
    extensions: 'org',
    syntax: {
      line: [{ mark: '# ', place: 'indent' }],
      block: [
        { open: '#+begin_comment', close: '#+end_comment', place: 'indent', closePlace: 'indent', ignoreCase: true },
      ],
    },
  },
  {
    name: 'Typst',
    extensions: 'typ',
    syntax: { line: [{ mark: '//', notAfter: ':' }], block: [{ ...slashStar, nests: true }] },
  },
  {
    name: 'Texinfo',
    extensions: 'texi texinfo txi',
    syntax: {
      line: [
        { mark: '@c ', place: 'indent' },
        { mark: '@comment', place: 'word' },
      ],
    },
  },
  {
    name: 'Roff',
    extensions: 'man roff 1 2 3 4 5 6 7 8 9 ms.roff mdoc 1m 3pm tmac',
    syntax: { line: ['.\\"', '\\"', '\'\\"'] },
  },
  { name: 'POD', extensions: 'pod' },
  {
    name: 'Plain Text',
    extensions: 'txt text',
    filenames:
      'LICENSE COPYING README NEWS AUTHORS CHANGES INSTALL TODO THANKS MAINTAINERS CREDITS NOTICE COPYRIGHT VERSION CODEOWNERS',
  },
  { name: 'MediaWiki', extensions: 'mediawiki wiki', syntax: markup },
  {
    name: 'PlantUML',
    extensions: 'puml plantuml pu iuml wsd',
    syntax: {
      line: [{ mark: "'", place: 'indent' }],
      block: [{ open: "/'", close: "'/", nests: true }],
      text: [{ open: '"', close: '"' }],
    },
  },
  { name: 'Mermaid', extensions: 'mmd mermaid', syntax: { line: ['%%'] } },
  {
    name: 'Graphviz',
    extensions: 'dot gv',
    syntax: { line: ['//', { mark: '#', place: 'column0' }], block: [slashStar], text: [longDouble] },
  },
  {
    name: 'D2',
    extensions: 'd2',
    syntax: { line: ['#'], block: [{ open: '"""', close: '"""', place: 'indent' }], text: [double, single] },
  },
  {
    name: 'GraphQL',
    extensions: 'graphql gql graphqls',
    syntax: { line: ['#'], text: [{ open: '"""', close: '"""', multiline: true }, double] },
  },
  { name: 'Prisma', extensions: 'prisma', syntax: { line: ['//'], text: [double] } },
  { name: 'Gherkin', extensions: 'feature', syntax: { line: [{ mark: '#', place: 'indent' }] } },
  {
    name: 'Robot Framework',
    extensions: 'robot resource',
    syntax: { line: [spacedHash, { mark: 'Comment ', place: 'indent' }] },
  },
  { name: 'Yarn Spinner', extensions: 'yarn', syntax: { line: ['//'] } },
  { name: 'KV', extensions: 'kv', syntax: { line: [{ mark: '#', notBefore: ':' }], text: [double, single] } },
  { name: 'Marko', extensions: 'marko', syntax: { ...javascript, block: [markupComment, slashStar] } },
];
