/** Words and sentences of generated sessions in Spanish. */

import type { Language } from "./language.ts";

export const spanish: Language = {
  name: "es",
  sentenceSeparator: " ",
  slots: {
    part: "el planificador|la facturación|la carga nocturna|el índice de búsqueda|la cola de correo|la página de acceso|la exportación|la memoria intermedia|el registro|la aplicación móvil|la pasarela|el generador de informes|el pago|el formulario|el grupo de revisión|el entorno de pruebas|el panel|el bus de mensajes|la lista de precios|la traducción|el soporte|la fuente de datos".split(
      "|",
    ),
    act: "espera una respuesta|guarda una copia de todo|viene de una versión anterior|solo lee y no escribe nada|depende de {thing} más de lo previsto|toma el relevo cuando lo demás ha terminado|enseña {thing} a quien los pide|se reinició por culpa de {thing}|habla todavía el protocolo antiguo|recoge {thing} de todas las regiones|entrega {thing} sin cambios|se retrasó y luego se recuperó|trata {thing} como caso aparte|se partió en dos piezas|descarta {thing} sin avisar|necesita {thing} antes de contestar|pasa la petición al siguiente|se midió dos veces con el mismo resultado".split(
      "|",
    ),
    when: "Después de reiniciar|Casi todos los días|Con poco tráfico|En el último ciclo|En la primera versión|Desde la mudanza|En cuentas grandes|Con mucha carga|Antes de publicar|En la segunda región|A fin de mes|Por razones históricas|En la práctica|La mayor parte del tiempo|Con el controlador nuevo|En las máquinas viejas|Por regla general".split(
      "|",
    ),
    aside:
      "como señaló {first} {last} en primavera|lo que tardó unos {n} minutos|en torno al {n} por ciento de las veces|según la incidencia {ticket}|de lo que se encarga {first}|tras {n} intentos|según las notas de {month}|aunque nadie se quejó|lo que es fácil pasar por alto|con un coste de {n} euros al mes|con {n} filas como máximo".split(
        "|",
      ),
    thing:
      "sesiones viejas|filas repetidas|errores de redondeo|facturas antiguas|archivos a medias|contadores|carpetas vacías|zonas horarias|enlaces rotos|visitantes anónimos|nombres largos|archivos de bloqueo|miniaturas|comentarios|eventos tardíos|interruptores|devoluciones parciales|registros huérfanos|cuotas diarias|cambios de dirección|cuentas de prueba|diseños de impresión|cables sueltos|cintas de copia|calendarios de fiestas|códigos postales|etiquetas de envío|atajos de teclado|garantías|erratas|licencias de fuentes|pilas de repuesto|permisos de aparcamiento|pases de visita|impresos|tablas de impuestos|números de teléfono|actas|esquemas eléctricos".split(
        "|",
      ),
    first: "Ana|Bruno|Carla|Diego|Elena|Félix|Gloria|Hugo|Inés|Jorge|Laura|Mateo|Nuria|Óscar|Pilar|Raúl".split("|"),
    last: "Alonso|Blanco|Castro|Durán|Esteban|Ferrer|Gil|Herrera|Ibáñez|Lozano|Molina|Navarro|Ortega|Prieto|Rubio|Soler".split(
      "|",
    ),
    state: "abierto|cerrado|en espera|en revisión|bloqueado|hecho|aplazado".split("|"),
    fixed:
      "Nada de esto es urgente.|Eso ya se sabía.|Lleva así muchos años.|Hay una página sobre ello en la wiki.|Volvimos sobre el tema varias veces.|Los detalles están en el anexo.|No es la única manera de verlo.|Lo demás se deduce de ahí.|Una prueba corta dio lo mismo.|Parte de ello puede estar anticuado.".split(
        "|",
      ),
  },
  sentences: [
    "{first} lo llama el problema {coined}.",
    "Véase {path} y la incidencia {ticket}.",
    "Antes eran {n} y ahora son {n}.",
    "{Part} allí se llama {coined}.",
    "{when} {part} {act}.",
    "{when} {part} {act}, {aside}.",
    "{Part} {act}, y {part} {act}.",
    "{Part} {act}.",
    "{Part} {act}, {aside}.",
    "{fixed}",
    "{first} {last} preguntó si {part} {act}.",
  ],
  logs: [
    "petición {id} terminada en {n} ms con estado {n}",
    "{first} abrió {path}",
    "el proceso {n} tomó el trabajo {id}",
    "acierto en memoria para {id} tras {n} ms",
    "conexión {n} cerrada por el otro extremo",
    "{n} bytes escritos en {path}",
    "punto de control {n} listo, {n} páginas escritas",
    "el trabajo {id} se repite en {n} s",
    "{Part} {act}",
  ],
  requests: [
    "mira otra vez esto, por favor: {part} {act}",
    "¿por qué dice que {part} {act}?",
    "vale, sigue con lo siguiente",
    "¿puedes comprobarlo también con {thing}?",
    "ejecútalo una vez más y enséñame el resultado",
  ],
  replies: [
    "Lo he mirado: {part} {act}. Ahora compruebo {thing}.",
    "{Part} {act}, así que cambié la lectura.",
    "Las pruebas pasan. {when} {part} {act}.",
    "Lo encontré: {part} {act}, {aside}.",
  ],
  facts: {
    identifier: [
      "El interruptor se llama «{camel}» y está apagado.",
      "Antes de arrancar se pone «{upper}={n}».",
      "La tabla que hay detrás es «{snake}».",
      "Todas llevan la cabecera «X-{pascal}».",
    ],
    path: [
      "Los ajustes se leen de «{path}» y de ningún otro sitio.",
      "Lo que dice la carga acaba en «{path}».",
      "El certificado está ahora en «{path}».",
    ],
    port: ["Las métricas salen por el puerto «{port}».", "El túnel escucha en «localhost:{port}»."],
    version: [
      "Solo funciona desde libfoam «{version}».",
      "El controlador se queda en «{version}».",
      "El fallo desapareció en «v{version}».",
    ],
    date: ["Las claves viejas caducan el «{date}».", "El contrato con el proveedor acaba el «{date}»."],
    number: [
      "Una subida tiene como mucho «{n} MB».",
      "El grupo se amplió a «{n} conexiones».",
      "La sesión acaba tras «{n} minutos» de silencio.",
    ],
    name: [
      "Las claves las guarda «{first} {coined}».",
      "Las dudas van a «{first} {coined}».",
      "El proveedor se llama «{coined} SL».",
    ],
    decision: [
      "Se decidió «mantener el formato {coined}» porque los socios lo usan.",
      "Se acordó «retirar el soporte de {coined}» el próximo trimestre.",
      "Nunca hay que «reiniciar la máquina {coined}» durante la copia.",
    ],
    unusual: [
      "La llave de repuesto cuelga detrás del «acuario».",
      "La oficina vieja olía a «canela».",
      "La impresora lleva el nombre de un «volcán».",
      "La alarma suena como un «trombón».",
      "El primer modelo se hizo en un «granero».",
    ],
    plain: [
      "La «segunda oficina no tiene ascensor».",
      "El cliente «paga una vez al año».",
      "Las «pruebas de esta parte son lentas».",
      "La «compañera nueva empieza por la mañana».",
      "El «formulario tiene ahora dos páginas».",
      "Este «valor viene del servidor».",
      "La «página antigua ya no está».",
    ],
  },
};
