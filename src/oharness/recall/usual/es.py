"""Usual words (es), made by scripts/make_usual_words.py; sources and licences in NOTICE."""

SHARES = {
    1.0: """
a de la no que
""",
    0.6: """
el en es lo un una y
""",
    0.36: """
bien con las los me mi para por se si su te tu
""",
    0.216: """
al algo aqui como del eso esto le mas pero todo yo
""",
    0.1296: """
ahora asi casa cuando ella entonces era esta este ha hacer he muy nada nos o ser solo tengo tiempo usted
verdad vez ya
""",
    0.0778: """
acuerdo ahi alguien antes bueno decir dia dos esa ese estar favor gente hablar hasta hecho hombre ir mejor mis
mismo mucho noche nunca oh otra poco porque senor sin sobre son sus tambien tan ti trabajo uno ver vida
""",
    0.0467: """
alli amigo buena conmigo contigo cosa desde despues dije dinero donde ellos espera estado estas fuera gran
hijo idea les lugar madre mal manana menos mio momento mujer mundo nadie ni nombre nosotros nuestra nuestro
nuevo otro padre parte pasa problema razon seguro serio siempre tal tener tipo toda tres tus visto
""",
    0.028: """
algun alguna amor ano ayuda buen cabeza cada camino caso chica chico cierto ciudad claro contra corazon
cualquier cuenta debe dejar demasiado dentro dicho durante entre esas esos esposa estos familia forma haber
hacia hermano hija historia hola hora hoy importante lado luego mama manera mano miedo mierda muerte muerto
papa pasado pasar persona poder policia primera puerta pues quien rapido realmente saber salir semana siquiera
suerte supuesto tanto tarde vale ve venir volver
""",
    0.0168: """
abajo acerca adelante afuera agua alla amo arma arriba atras auto ayudar bajo bastante cama cara carino casi
cerca cinco clase coche comer comida creer cuatro cuerpo cuidado culpa dar dificil dios doctor dormir e eh
ello encontrar entrar equipo escuela esperar exactamente facil feliz fiesta fin final fuerte genial grande
guerra habitacion habla haya hermana igual jefe joven juego justo lejos lista listo llama llegar loco luz malo
matar mayor medio mientras minuto mira misma morir ningun ninguna nino nuestras nuestros nueva numero oficina
oido oportunidad os pais palabra par paz pensar peor pequena pequeno plan posible pregunta primer primero
pronto pueblo punto puta queda quiza realidad sangre seguir segundo segura seguridad senora sentido sitio sola
suficiente telefono tio todavia tomar trabajar trata vaya viejo vino vivir vivo vuelta
""",
    0.0101: """
abogado aca accidente adios agente aire alrededor alto amiga anoche asesinato asesino asunto ataque atencion
aunque avion ayer bano barco blanco boca buscar cafe caja calle cambiar cambio campo capitan carta cena cielo
cita compania completamente comprar conseguir correcto cual cuanto cuarto culo dado dano decision deja demas
derecho detras di diez diferente direccion divertido dolor duro edad ellas empezar encima encontrado error
escucha especial estupido extrano falta foto frente fuego fuerza futuro ganar grupo gusto hambre hermosa
hospital hotel idiota imposible incluso increible informacion jamas jugar largo libre libro linea llamada
llamado llamar llegado lleva llevar loca mala maldita maldito marido medico mensaje mente mes mesa mia mil
mitad modo monton mucha muchacho muerta musica nave necesario negocio negro nina normal novia oficial orden
pagar paso pelicula pelo pena perder perdido perfecto perro personal pie pienso placer poner probablemente
programa propia propio proxima prueba puesto querida querido quizas raro real recuerdo relacion respuesta
resto rey ropa salvo secreto seis senal senorita sentir sexo siguiente simplemente sino sistema situacion
suelo sueno tampoco tenga tierra toma tonto traje tras trato traves tuyo usar veras viaje vista voz vuelto
""",
    0.006: """
abrir abuela abuelo acabado acabar acabo ademas adentro agradable ah alegra alegro alma alta amable ambos
anillo ante aprender aun bailar baile baja banco banda bar base basta basura batalla beber boda bolsa bomba
bonita bonito bosque brazo broma busca caballo caliente calma calor camara cancion capaz carcel cargo carne
carrera causa cenar centro cerebro cerveza cliente club cocina color companero completo comun confiar conocer
conocido consejo contacto contar correr corte crimen cualquiera cuello cuestion culpable cumpleanos debajo
debido dejado delante departamento derecha deseo destino diablo diferencia director doble doy duda dulce
edificio ejemplo ejercito embargo encuentro enemigo energia enfermo enseguida entender entendido entrada
escapar escena escribir escuchar espacio espalda especie esperanza esposo estacion estilo estrella evitar
experiencia fondo frio general gobierno golpe gracioso hablado hermoso hogar honor horrible humano iglesia
imbecil infierno informe inteligente intentar intento interesante interior investigacion isla izquierda juicio
junto juro lamento leer ley libertad lindo llave llega lleno locura luna mantener maquina mar maravilloso
marcha matrimonio mayoria media mentira mirar mision molesta nena ninguno nivel nota novio objetivo obra ocho
odio oir ojo opcion opinion oro paciente papel parar parecer partido pase pedir pelea pelear peligro peligroso
pensado perdida permiso perra piel piso pista pistola planeta pobre posicion precio presidente principal
principio prisa prision probar profesor proposito proximo publico quedar radio rato recordar regalo regresar
regreso repente respecto respeto reunion rio sacar sala salida salvar segunda servicio silencio simple sol
sorpresa suyo tarjeta tema temprano ten terminar terrible tia tocar totalmente traer trago trampa tranquilo
trasero tratar tren triste tuya universidad valor ventana verdadero verme vestido victima vieja vistazo viva
volar vosotros vuelo zona
""",
    0.0036: """
abierta abierto absolutamente absoluto acceso accion aceptar actuar aeropuerto agujero alcohol alguno almuerzo
ama amenaza anda animal antiguo apenas apoyo apuesto aquel aquella arbol arreglar arte asiento aspecto
averiguar azul bajar bala bastardo belleza beso bienvenida bienvenido blanca bordo borracho bote botella
brillante busqueda caballero cabello cabo cabron cadaver caer cambia caminar camion camioneta camisa
campamento campana cancer cansada cansado cantar cantidad carga carretera casado cerdo cerrado cerrar cien
ciencia cine cinta clave codigo coger colega colegio comandante combate comenzar comienzo compartir complicado
conducir conexion confianza contado contento continuar contrario contrato conversacion copa coronel correo
crear credito criminal cuchillo cuento cuesta cuidar cura curso dama debil declaracion dedo defensa
definitivamente dejo demonio desastre desayuno descansar descanso descubrir despacio despierta destruir
detener diario directamente disculpa discurso discutir disparar disparo dispuesto distancia don dormido droga
dueno dura echar efectivo efecto eleccion elegir embarazada emergencia empresa enamorado enferma enfermedad
enfermera enorme entera entero enviado enviar escenario escrito espada espectaculo espiritu esquina estudio
estupendo estupida evidencia examen excelente excepto exito explicar extra extrana familiar fantasma
fantastico fe felicidad finalmente fuente fueras funcionar futbol gana ganado gas gato genio gordo gratis
grave guapo guardia haz herida herido heroe hielo humana humor imagen in ingles inmediatamente inmediato
inocente intencion intenta interes inutil invitado jardin juez jurado justicia laboratorio ladron larga
lastima leche leido lengua limpiar limpio linda llena llorar lluvia local lucha luchar maestro magia maldicion
mando manejar mapa maravillosa marca mata medicina memoria menor menudo mercado metido miembro militar millon
mirada monstruo montana motivo movimiento muestra nariz natural naturaleza necesidad necesitar negra nervioso
norte nosotras noticia nueve obtener oeste oferta olor olvidado olvidar operacion orgulloso oscuridad oscuro
paga pago pan parecido pared pareja parque partir pasada paseo pastel pecho pedazo pedido perdon perfecta
perfectamente periodico pesar peso piedra pierna piloto playa politica pollo polvo posibilidad preciosa
preguntar prensa preparado presencia presente presion primo princesa privado probable proceso profesional
profundo propiedad proteccion proteger proyecto puente puto quedo querer recibir recoger recuperar red reina
reloj resolver responsabilidad responsable restaurante resulta resultado rico ridiculo riesgo robado robar
robo rojo romper rostro roto ruido sabido sal salga salido salud sargento sensacion sentado serie sexual silla
sobrevivir sociedad solamente soldado sombrero sonido sospechoso subir suficientemente sujeto sur suya talento
tamano tanta tarea taxi techo tecnologia television teniente teoria testigo tiro to toca tomado tome tonta
toque tormenta total traido truco tumba turno ultimo unico unidad universo uso valiente velocidad vender
venganza verano verdadera verde verguenza victoria viento viernes vision visita voluntad vos vuestra vuestro
""",
    0.0022: """
abandonar abrigo aburrido acaso actitud actor actuacion actual acusado adecuado adivinar admitir adorable
afortunado agencia alarma alcalde alcance alegria aleman alerta aliento alternativa altura amanecer amante
amar ambas ambiente ambulancia americano amistad analisis andar anterior antigua anuncio aparte apuesta
aquello archivo area arena armario arrestado arresto articulo artista asalto ascensor asco asistente asqueroso
atacar atrapar audiencia autoridad aventura aviso ay azucar barrio bebida bella bestia biblioteca bola
bolsillo bolso boton bruja busco cable cadena caido campeon canal capacidad caro carro casada casar castigo
castillo casualidad caza celda celebrar celular central cercano cero cerrada chaqueta charla cheque chino
chiste chocolate ciego ciento cierta cigarrillo cinturon cirugia claramente cobarde cocinar coincidencia cola
coma combustible cometido comido comodo companera competencia completa comportamiento compra comprado
compromiso comunicacion comunidad conciencia concierto condicion conductor conferencia conocimiento consciente
consigo construir contenta copia correcta corriente corta cortar corto costa crea crecer criatura crisis
cristal cruel cruzar cubierta cuerda cumplir curiosidad curioso custodia deber decidir demostrar des
desagradable desaparecer descubierto desgracia desgraciado desierto despacho despedida despertar despierto
detalle detenido detente deuda disco disponible dispositivo distinto diversion divorcio doce doctora domingo
ducha educacion elegante elegido emocionante empleo enamorada encantado encantador encantadora encargo
enfrente ensenar entrado entrega entrevista epoca escalera escape escritorio escucho esfuerzo especialmente
espejo espia esposas estomago estudiante estudiar evento exacto excusa experto explicacion explosion exterior
extranjero fabrica facilmente falsa falso famoso favorita favorito fecha feo fiebre fila firma firmar firme
fiscal fisica fortuna frances fresco fria frontera fumar funeral ganador garganta gasolina gigante gira gloria
gracia grado grandioso granja gritar guapa guardar guia habilidad harto hecha helado helicoptero hierba hombro
homicidio honesto huevo huir humanidad humo identidad identificacion ilegal imaginar importancia importar
impresion impresionante incendio incidente inspector instante instituto inteligencia interesado investigar
invierno ira jueves jugador junta lago lealtad leccion legal lento licencia limite limpia lio lobo lograr
lunes madera maleta maravilla martes mate material mato maximo medianoche medica medida mejorar mental mentir
mentiroso meta meter miel milagro minimo mios misterio moda modelo molesto mono mortal mostrar motor mover
movil muchacha muera mundial muneca nacimiento nacion nacional nadar nerviosa nieve noble normalmente
nuevamente objeto obvio ocasion oceano ocupada ocurrir organizacion orgullo orgullosa original oso paciencia
pagina pajaro palacio paliza panico pantalla paquete parada parado particular pasillo pasion pata patio patron
pecado pelota pene permanecer permitir personaje personalmente pesadilla pesado pescado pez piano pieza
pintura piscina placa planta plata plato poderoso pongo popular poquito practica precioso premio preparada
preparar presentar primavera principe prisionero privada promesa prometido pura puro queso quieto quitar
rapida rapidamente rara rastro rata raza reaccion recien recompensa refugio registro regla reino renunciar
reputacion rescate respirar responder revisar revista ritmo roca roja rosa ruego rumbo ruso ruta sabado sabia
saca saco salon salsa saltar salvado salvaje santo seccion secreta secundaria seguido seguramente sencillo
sentimiento seria servir sesion siglo sincero social socio sofa solucion sombra sonar sonrisa sopa soportar
sotano suave suceder sucedido sucio sufrir suicidio superficie superior taza teatro temporada tenia terapia
tercer tercera terreno territorio tesoro tirar titulo tomo tono tonteria torre trabajado trafico traidor
tranquila transporte tratado tratamiento tribunal tripulacion tunel u uniforme urgente usado vaso vehiculo
veinte veneno venta ventaja version viajar vigilancia violencia virus visitar vivido voto vuestros
""",
    0.0013: """
abandonado abogada abra abrazo absurdo aburrida aceite acento acepta acepto acero actividad actriz acusacion
adecuada adolescente adonde adoro adulto advertencia afecta agarrar agenda agradecido aguantar ala alcanzar
aldea alegre alfombra alivio almacen almorzar alquiler amado amarillo americana anciano aniversario apagar
aparato aparecer aparentemente apariencia apellido apostar aprecio apropiado arco armada armado arreglado
arreglo arroz arruinar as asegurar asesina asesinar asombroso asumir atender aterrizaje aterrizar atractiva
atractivo aumento autentico autopista autopsia autorizacion ayudado ayudante azar bandera barato barba barra
bateria be bebido bello bendicion beneficio besar bicicleta billete boleto borde breve brindis cabana
cafeteria caida calidad calla callado callejon camarada camiseta canon canta cantante caos capa capital
caracter caray cargar caridad cartel cartera casco casino causar cazador cazar celoso cementerio centavo
cerebral ceremonia cientifico cierre ciertamente cima circo circulo cirujano ciudadano civil clara clima
clinica coartada cocaina cogido coleccion colgar colina collar columna combinacion comedor cometer comisaria
comisario comite comoda compasion complejo comprender comprobar concepto concurso condado condena condenado
condicional conducta conejo confesion confirmar conflicto conocida considerado considerando considerar
construccion contestar continuacion contratar convencer convertir coraje corbata corona corredor cortado
costado costumbre craneo crecido crema cruz cuadro cubierto cubrir cueva cuida cultura cumplido cuyo debilidad
decente defender delicioso delito demanda demasiada deporte deposito deprisa desafio desconocido descripcion
desesperado desnuda desnudo despejado destruccion devolver dibujo dignidad digno directa dirigir discusion
diseno disfraz disfrutar dispuesta distrito divertida division do docena documento dolar dormida dormitorio
dosis dragon echado egoista ejecucion ejercicio electrica electricidad eliminar emocion emocional emperador
empiece empiezo empleado encantada encanto encargado encender encerrado enfrentar enganar engano ensalada
ensayo ensenado enterado entregar episodio equipaje escala escandalo esclavo escoger esconder escondido
escritor escudo espacial espanol estable estacionamiento estadounidense estrategia estructura estupenda
estupidez eternidad excepcion existencia expediente experimento explotar expresion extraordinario
extremadamente extremo fabuloso falla fama famosa fantasia fantastica fascinante fase fatal fea federal fianza
fiel figura fingir fisico flor flota forense formar fortaleza fotografia fracaso francesa frase fraude
frecuencia fresca fruta fuga funcion gallina gano garaje gatillo generacion generoso gerente gimnasio giro
gobernador golf golpeado golpear gorda gota graciosa graduacion grano gravedad gris grosero guarda guerrero
guion guitarra gusano gustar hallar harta hechizo heroina hierro higado historial hoja honesta horario horno
hoyo huella hueso ideal identificar idioma igualmente imaginacion impacto imperio importe incomodo
inconsciente increiblemente industria infancia infantil infeccion infeliz influencia informar instinto
intercambio interesada internacional interrumpir invisible invitacion invito italiano izquierdo jaula jefa
judio jugada jugo juguete juramento juventud juzgado juzgar lanza lanzamiento lanzar lata lavar leal lectura
lenguaje lentamente leon letra levantar leyenda liberar lidiar limpieza literalmente llegada llenar logica
logro lujo maestra magico magnifico mago maiz maletin malvado manda mandar mantequilla manual manzana marchar
masa mascara materia maxima mediodia mencionar mentido metal metro mezcla miente miercoles mina ministro
miserable molestar molestia moneda montar moral moto muelle multitud muro museo musical my nacido naranja
negativo negociar nene nieto ninera novela nuclear obligado ocultar oficialmente ofrecer ojala olvido once
onda ordenador oreja origen oscura oxigeno pagare palo pandilla paraiso participar partida pasaporte pasear
pasta pastor patas patetico patrulla pavo payaso pegado peligrosa pensamiento perdedor perfil perimetro
periodista periodo personalidad perspectiva pesada pesca pescar peticion petroleo pico piedad pinta plano
plastico plaza plazo pluma poblacion poca poderosa poesia poli policial politico porqueria posesion positivo
postre potencia potencial pozo practicamente practicar precisamente preciso preocupacion presa presentacion
presentimiento prestado prestamo presupuesto prima prioridad probado procedimiento produccion producto
profesion profesora profunda profundamente progreso prometida propuesta prostituta protocolo publica
publicidad puerto puesta pulso punta quemado quemar quince quita radiacion rango rastrear rayo razonable re
realizar recepcion receta recibo reciente recientemente reconocer reconocimiento religion remedio reporte
representante reserva residencia resistencia respiracion resuelto retiro reto retraso reves revolucion rezar
rica rifle risa rollo romance romantico ronda rota rubia rueda rumor rutina sabio sabor sacerdote sacrificio
sagrado salto saludable sano saque satelite seco secretaria sector secuestro sed selva senador senoria
sensible sentada sentencia sera serpiente significado simbolo similar sitios so sobrino solar solitario
soltera soltero sorprendente sospecha sucia sueldo suelto sufrido sufrimiento super superar suyos taller
tanque tarta tatuaje tecnica temer temor temperatura templo temporal tension tercero terror terrorista
testamento testimonio texto tigre tira tirado tiroteo toalla tocado tortura tradicion traduccion tragedia
traicion transmision trasera treinta tribu trono trozo tubo tuyos ubicacion ultima ultimamente util utilizar
vaca valioso valle vampiro vecindario vecino vela vencer vencido vendedor verdaderamente via vidrio violacion
violento virgen visual viuda vomitar votar vuestras zapato zorra
""",
    0.0008: """
aclarar alianza aproximadamente atmosfera borracha can champan clasico conclusion constante doloroso habitual
ilusion microfono navidad queja quimica region solicitud
""",
}
"""The share of texts of fifty words that hold a word, for each word that is not rare."""
